package anthropic

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// ErrCannotExpress is matched by the errors for content that the protocol has
// no form for.
var ErrCannotExpress = errors.New("cannot be expressed in the Anthropic protocol")

// AppendBlock appends b as a content block, without line breaks. An error
// matches [ErrCannotExpress].
func AppendBlock(dst []byte, b canon.Block) ([]byte, error) {
	switch b := b.(type) {
	case *canon.TextBlock:
		dst = append(dst, `{"type":"text","text":`...)
		dst = b.Text.AppendQuoted(dst)
	case *canon.ImageBlock:
		if b.Media.IsEmpty() || !b.Plain.IsEmpty() {
			return dst, fmt.Errorf("an image without data %w", ErrCannotExpress)
		}
		dst = append(dst, `{"type":"image","source":`...)
		dst = appendSource(dst, b.Media)
	case *canon.DocumentBlock:
		if b.Media.IsEmpty() {
			return dst, fmt.Errorf("a document without content %w", ErrCannotExpress)
		}
		dst = append(dst, `{"type":"document","source":`...)
		dst = appendSource(dst, b.Media)
		if b.Name != "" {
			dst = append(dst, `,"title":`...)
			dst = jsonx.AppendQuote(dst, b.Name)
		}
	case *canon.ReasoningBlock:
		if b.Capsule.Issuer != Name {
			return dst, fmt.Errorf("reasoning of another vendor %w", ErrCannotExpress)
		}
		dst = appendReasoning(dst, b)
	case *canon.ToolCallBlock:
		return appendCall(dst, b)
	case *canon.ToolResultBlock:
		return appendResult(dst, b)
	case *canon.OpaqueBlock:
		if b.Dialect != Name {
			return dst, fmt.Errorf("a block of %s %w", b.Dialect, ErrCannotExpress)
		}
		return jsonx.AppendRaw(dst, b.Raw), nil
	default:
		return dst, fmt.Errorf("a %s block %w", b.Kind(), ErrCannotExpress)
	}
	return closeObject(dst, b.Meta()), nil
}

// closeObject appends the members that came from this dialect, and the brace.
func closeObject(dst []byte, meta *canon.BlockMeta) []byte {
	return append(meta.Ext.AppendMembers(dst, Name), '}')
}

func appendReasoning(dst []byte, b *canon.ReasoningBlock) []byte {
	if b.Redacted {
		dst = append(dst, `{"type":"redacted_thinking","data":`...)
		return b.Capsule.Sealed.AppendQuoted(dst)
	}
	dst = append(dst, `{"type":"thinking","thinking":`...)
	dst = b.Text.AppendQuoted(dst)
	dst = append(dst, `,"signature":`...)
	return b.Capsule.Sealed.AppendQuoted(dst)
}

func appendCall(dst []byte, b *canon.ToolCallBlock) ([]byte, error) {
	switch {
	case b.Call != canon.CallFunction && b.Call != canon.CallProvider || b.Namespace != "":
		return dst, fmt.Errorf("a %s call in namespace %q %w", b.Call, b.Namespace, ErrCannotExpress)
	case b.Input.JSON.Kind() != jsonx.Object:
		return dst, fmt.Errorf("a call input that is no object %w", ErrCannotExpress)
	case b.Call == canon.CallProvider:
		dst = append(dst, `{"type":"server_tool_use","id":`...)
	default:
		dst = append(dst, `{"type":"tool_use","id":`...)
	}
	dst = jsonx.AppendQuote(dst, b.CallID)
	dst = append(dst, `,"name":`...)
	dst = jsonx.AppendQuote(dst, b.Name)
	dst = append(dst, `,"input":`...)
	dst = jsonx.AppendRaw(dst, b.Input.JSON)
	return closeObject(dst, b.Meta()), nil
}

func appendResult(dst []byte, b *canon.ToolResultBlock) ([]byte, error) {
	dst = append(dst, `{"type":"tool_result","tool_use_id":`...)
	dst = jsonx.AppendQuote(dst, b.CallID)
	dst = append(dst, `,"content":`...)
	dst, err := AppendContent(dst, b.Content)
	if err != nil {
		return dst, err
	}
	if b.IsError {
		dst = append(dst, `,"is_error":true`...)
	}
	return closeObject(dst, b.Meta()), nil
}

// AppendContent appends blocks as a content value: a string for a single plain
// text and for nothing at all, an array otherwise.
func AppendContent(dst []byte, blocks []canon.Block) ([]byte, error) {
	if t, ok := canon.PlainText(blocks); ok {
		return t.AppendQuoted(dst), nil
	}
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = AppendBlock(dst, b); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendSource(dst []byte, m canon.Media) []byte {
	switch {
	case !m.URL.IsEmpty():
		dst = append(dst, `{"type":"url","url":`...)
		dst = m.URL.AppendQuoted(dst)
	case !m.Plain.IsEmpty():
		dst = append(dst, `{"type":"text","media_type":`...)
		dst = jsonx.AppendQuote(dst, cmp.Or(m.MediaType, plainType))
		dst = append(dst, `,"data":`...)
		dst = m.Plain.AppendQuoted(dst)
	default:
		dst = append(dst, `{"type":"base64","media_type":`...)
		dst = jsonx.AppendQuote(dst, m.MediaType)
		dst = append(dst, `,"data":`...)
		dst = m.Data.AppendQuoted(dst)
	}
	return append(dst, '}')
}
