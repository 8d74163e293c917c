package responses

import (
	"errors"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// ErrCannotExpress is matched by the errors for content that the protocol has
// no form for.
var ErrCannotExpress = errors.New("cannot be expressed in the Responses protocol")

// AppendItem appends m as one item, without line breaks. A message with a call
// or result holds nothing else. The item has no id: the API refuses one whose
// reasoning item is not there, too (continuedev/continue#11994). An error
// matches [ErrCannotExpress].
func AppendItem(dst []byte, m *canon.Message) ([]byte, error) {
	if len(m.Blocks) == 1 {
		switch b := m.Blocks[0].(type) {
		case *canon.ToolCallBlock:
			return appendCall(dst, m, b)
		case *canon.ToolResultBlock:
			return appendResult(dst, m, b)
		case *canon.OpaqueBlock:
			if b.Dialect == Name && m.Role == canon.Assistant {
				return jsonx.AppendRaw(dst, b.Raw), nil
			}
		case *canon.ReasoningBlock:
			return appendReasoning(dst, m, b)
		case *canon.TextBlock, *canon.ImageBlock, *canon.DocumentBlock, *canon.CompactionBlock:
		}
	}
	return appendMessage(dst, m)
}

// closeObject appends the members that came from this dialect, and the brace.
func closeObject(dst []byte, ext canon.Ext) []byte {
	return append(ext.AppendMembers(dst, Name), '}')
}

func appendMessage(dst []byte, m *canon.Message) ([]byte, error) {
	role, kind := string(m.Role), "input_text"
	switch m.Role {
	case canon.Assistant:
		kind = "output_text"
	case canon.System:
		if m.Authority != "" {
			role = string(m.Authority)
		}
	case canon.User:
	default:
		return dst, fmt.Errorf("a message of the role %q %w", m.Role, ErrCannotExpress)
	}
	if m.Kind == canon.Injected && m.Ext.Dialect == Name && m.Ext.Get(authorMember) != nil {
		dst = append(dst, `{"type":"agent_message","content":[`...)
	} else {
		dst = append(dst, `{"type":"message","role":`...)
		dst = jsonx.AppendQuote(dst, role)
		dst = append(dst, `,"content":[`...)
	}
	var err error
	for i, b := range m.Blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendPart(dst, b, kind); err != nil {
			return dst, err
		}
	}
	return closeObject(append(dst, ']'), m.Ext), nil
}

func appendPart(dst []byte, b canon.Block, textType string) ([]byte, error) {
	switch b := b.(type) {
	case *canon.TextBlock:
		dst = append(dst, `{"type":"`...)
		dst = append(dst, textType...)
		dst = append(dst, `","text":`...)
		dst = b.Text.AppendQuoted(dst)
	case *canon.ImageBlock:
		if textType == "output_text" || b.Media.IsEmpty() || !b.Plain.IsEmpty() {
			return dst, fmt.Errorf("an image in an answer, or without data, %w", ErrCannotExpress)
		}
		dst = append(dst, `{"type":"input_image","image_url":`...)
		dst = appendMedia(dst, b.Media)
	case *canon.DocumentBlock:
		if textType == "output_text" || b.Media.IsEmpty() || !b.Plain.IsEmpty() {
			return dst, fmt.Errorf("a document in an answer, or of plain text, or without data, %w", ErrCannotExpress)
		}
		dst = append(dst, `{"type":"input_file",`...)
		if b.Name != "" {
			dst = append(dst, `"filename":`...)
			dst = append(jsonx.AppendQuote(dst, b.Name), ',')
		}
		switch {
		case !b.URL.IsEmpty():
			dst = append(dst, `"file_url":`...)
			dst = b.URL.AppendQuoted(dst)
		case b.MediaType == "":
			dst = append(dst, `"file_data":`...)
			dst = b.Data.AppendQuoted(dst)
		default:
			dst = append(dst, `"file_data":`...)
			dst = appendMedia(dst, b.Media)
		}
	case *canon.OpaqueBlock:
		if b.Dialect != Name {
			return dst, fmt.Errorf("a block of %s %w", b.Dialect, ErrCannotExpress)
		}
		return jsonx.AppendRaw(dst, b.Raw), nil
	default:
		return dst, fmt.Errorf("a %s block inside a message %w", b.Kind(), ErrCannotExpress)
	}
	return closeObject(dst, b.Meta().Ext), nil
}

// appendMedia appends a URL, or inline data as a data URL.
func appendMedia(dst []byte, m canon.Media) []byte {
	if !m.URL.IsEmpty() {
		return m.URL.AppendQuoted(dst)
	}
	return canon.Join(canon.NewText("data:"+m.MediaType+";base64,"), m.Data).AppendQuoted(dst)
}

func appendReasoning(dst []byte, m *canon.Message, b *canon.ReasoningBlock) ([]byte, error) {
	if b.Capsule.Issuer != Name {
		return dst, fmt.Errorf("reasoning of another vendor %w", ErrCannotExpress)
	}
	dst = append(dst, `{"type":"reasoning","summary":[`...)
	for i, s := range b.Summary {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"type":"summary_text","text":`...)
		dst = append(s.AppendQuoted(dst), '}')
	}
	dst = append(dst, ']')
	if !b.Text.IsEmpty() {
		dst = append(dst, `,"content":[{"type":"reasoning_text","text":`...)
		dst = append(b.Text.AppendQuoted(dst), `}]`...)
	}
	if !b.Capsule.Sealed.IsEmpty() {
		dst = append(dst, `,"encrypted_content":`...)
		dst = b.Capsule.Sealed.AppendQuoted(dst)
	}
	return closeObject(dst, m.Ext), nil
}

func appendCall(dst []byte, m *canon.Message, b *canon.ToolCallBlock) ([]byte, error) {
	switch b.Call {
	case canon.CallFunction:
		if isToolSearch(m) && b.Name == NameToolSearch && b.Namespace == "" {
			return appendToolSearch(dst, m, b)
		}
		dst = append(dst, `{"type":"function_call","name":`...)
		dst = appendName(dst, b)
		dst = append(dst, `,"arguments":`...)
		dst = appendArguments(dst, b.Input)
	case canon.CallCustom:
		if b.Input.JSON != nil {
			return dst, fmt.Errorf("JSON as the input of a custom call %w", ErrCannotExpress)
		}
		dst = appendStatus(append(dst, `{"type":"custom_tool_call"`...), m)
		dst = append(dst, `,"name":`...)
		dst = appendName(dst, b)
		dst = append(dst, `,"input":`...)
		dst = b.Input.Text.AppendQuoted(dst)
	case canon.CallShell:
		if b.Input.JSON.Kind() != jsonx.Object {
			return dst, fmt.Errorf("a shell call whose input is no object %w", ErrCannotExpress)
		}
		dst = appendStatus(append(dst, `{"type":"local_shell_call"`...), m)
		dst = append(dst, `,"action":`...)
		dst = jsonx.AppendRaw(dst, b.Input.JSON)
	case canon.CallProvider:
		if b.Name != NameWebSearch {
			return dst, fmt.Errorf("a call of the provider's tool %q %w", b.Name, ErrCannotExpress)
		}
		dst = appendStatus(append(dst, `{"type":"web_search_call"`...), m)
		if b.Input.JSON != nil { // old items have none
			dst = append(dst, `,"action":`...)
			dst = jsonx.AppendRaw(dst, b.Input.JSON)
		}
		return closeObject(dst, m.Ext), nil
	default:
		return dst, fmt.Errorf("a call of kind %q %w", b.Call, ErrCannotExpress)
	}
	dst = append(dst, `,"call_id":`...)
	return closeObject(jsonx.AppendQuote(dst, b.CallID), m.Ext), nil
}

// isToolSearch reports whether m was read from an item of a tool search.
func isToolSearch(m *canon.Message) bool {
	return m.Ext.Dialect == Name && m.Ext.Get(executionMember) != nil
}

func appendToolSearch(dst []byte, m *canon.Message, b *canon.ToolCallBlock) ([]byte, error) {
	if b.Input.JSON == nil {
		return dst, fmt.Errorf("text as the input of a tool search %w", ErrCannotExpress)
	}
	dst = appendStatus(append(dst, `{"type":"tool_search_call"`...), m)
	dst = append(dst, `,"arguments":`...)
	dst = jsonx.AppendRaw(dst, b.Input.JSON)
	dst = append(dst, `,"call_id":`...)
	return closeObject(jsonx.AppendQuote(dst, b.CallID), m.Ext), nil
}

// appendStatus appends the status that items of some types need: another one
// than completed is in the members that came from this dialect.
func appendStatus(dst []byte, m *canon.Message) []byte {
	if m.Ext.Dialect == Name && m.Ext.Get("status") != nil {
		return dst
	}
	return append(dst, `,"status":"completed"`...)
}

func appendName(dst []byte, b *canon.ToolCallBlock) []byte {
	dst = jsonx.AppendQuote(dst, b.Name)
	if b.Namespace != "" {
		dst = append(dst, `,"namespace":`...)
		dst = jsonx.AppendQuote(dst, b.Namespace)
	}
	return dst
}

// appendArguments appends the input as a string that holds JSON text.
func appendArguments(dst []byte, in canon.Input) []byte {
	if in.JSON == nil {
		return in.Text.AppendQuoted(dst)
	}
	return jsonx.AppendQuote(dst, string(in.JSON))
}

func appendResult(dst []byte, m *canon.Message, b *canon.ToolResultBlock) ([]byte, error) {
	if t, ok := canon.PlainText(b.Content); ok && isToolSearch(m) {
		if tools := canon.Raw(t.String()); tools.Kind() == jsonx.Array && tools.Valid() {
			dst = appendStatus(append(dst, `{"type":"tool_search_output"`...), m)
			dst = append(dst, `,"tools":`...)
			dst = append(jsonx.AppendRaw(dst, tools), `,"call_id":`...)
			return closeObject(jsonx.AppendQuote(dst, b.CallID), m.Ext), nil
		}
	}
	switch b.Call {
	case canon.CallCustom:
		dst = append(dst, `{"type":"custom_tool_call_output","call_id":`...)
	case canon.CallFunction, canon.CallShell, "":
		dst = append(dst, `{"type":"function_call_output","call_id":`...)
	default:
		return dst, fmt.Errorf("a result of a %s call %w", b.Call, ErrCannotExpress)
	}
	dst = jsonx.AppendQuote(dst, b.CallID)
	dst = append(dst, `,"output":`...)
	if t, ok := canon.PlainText(b.Content); ok {
		return closeObject(t.AppendQuoted(dst), m.Ext), nil
	}
	dst = append(dst, '[')
	var err error
	for i, part := range b.Content {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendPart(dst, part, "input_text"); err != nil {
			return dst, err
		}
	}
	return closeObject(append(dst, ']'), m.Ext), nil
}
