package responses

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// member stands for a member that some type of item or part models; several are
// a set.
type member uint32

const (
	typeMember member = 1 << iota
	idMember
	roleMember
	callIDMember
	nameMember
	namespaceMember
	argumentsMember
	inputMember
	contentMember
	outputMember
	actionMember
	summaryMember
	toolsMember
	encryptedMember
	resultMember
	promptMember
	textMember
	imageURLMember
	fileDataMember
	fileURLMember
	filenameMember
)

// memberOf returns the member called name that items have.
func memberOf(name []byte) member {
	switch string(name) {
	case "type":
		return typeMember
	case "id":
		return idMember
	case "role":
		return roleMember
	case "call_id":
		return callIDMember
	case "name":
		return nameMember
	case "namespace":
		return namespaceMember
	case "arguments":
		return argumentsMember
	case "input":
		return inputMember
	case "content":
		return contentMember
	case "output":
		return outputMember
	case "action":
		return actionMember
	case "summary":
		return summaryMember
	case "tools":
		return toolsMember
	case "encrypted_content":
		return encryptedMember
	case "result":
		return resultMember
	case "revised_prompt":
		return promptMember
	}
	return 0
}

// membersOf returns the members that an item type models beside its type and
// id.
func membersOf(typ string) member {
	used := typeMember | idMember
	switch typ {
	case "message", "":
		return used | roleMember | contentMember
	case "agent_message": // is always a user's
		return used | roleMember | contentMember
	case "reasoning":
		return used | summaryMember | contentMember | encryptedMember
	case "function_call":
		return used | callIDMember | nameMember | namespaceMember | argumentsMember
	case "custom_tool_call":
		return used | callIDMember | nameMember | namespaceMember | inputMember
	case "local_shell_call":
		return used | callIDMember | actionMember
	case "tool_search_call":
		return used | callIDMember | argumentsMember
	case "web_search_call":
		return used | actionMember
	case "image_generation_call":
		return used | resultMember | promptMember
	case "function_call_output", "custom_tool_call_output":
		return used | callIDMember | outputMember
	case "tool_search_output":
		return used | callIDMember | toolsMember
	case "compaction", "context_compaction":
		return used | encryptedMember
	}
	return used
}

// shape is the union of the members that items of all types have.
type shape struct {
	kinds
	typ, id, role, callID, name, namespace string
	arguments                              canon.Input
	content, output                        []canon.Block
	written                                canon.Raw  // the content as it is written
	text                                   canon.Text // a custom call's input
	action, summary, tools                 canon.Raw
	encrypted, result, prompt              canon.Text
	ext                                    canon.Ext
}

func readShape(d *jsonx.Decoder) (s shape) {
	for name := range d.Members() {
		m := memberOf(name)
		s.seen |= m
		switch m {
		case typeMember:
			s.typ = s.readString(d, m)
		case idMember:
			s.id = s.readString(d, m)
		case roleMember:
			s.role = s.readString(d, m)
		case callIDMember:
			s.callID = s.readString(d, m)
		case nameMember:
			s.name = s.readString(d, m)
		case namespaceMember:
			s.namespace = s.readString(d, m)
		case argumentsMember:
			s.arguments = readArguments(d)
		case inputMember:
			s.text = readFreeText(d)
		case contentMember:
			at := d.Next()
			s.content = ReadContent(d)
			s.written = d.Slice(at)
		case outputMember:
			s.output = ReadContent(d)
		case actionMember:
			s.action = readRaw(d)
		case summaryMember:
			s.summary = readRaw(d)
		case toolsMember:
			s.tools = readRaw(d)
		case encryptedMember:
			s.encrypted = s.readText(d, m)
		case resultMember:
			s.result = s.readText(d, m)
		case promptMember:
			s.prompt = s.readText(d, m)
		default:
			readOther(d, &s.ext, name)
		}
	}
	return s
}

// kinds are the members that were seen, and those of a kind that they never
// have.
type kinds struct{ seen, odd member }

func (k *kinds) readText(d *jsonx.Decoder, m member) canon.Text {
	if d.Kind() == jsonx.String {
		return canon.ReadText(d)
	}
	if d.Kind() != jsonx.Null {
		k.odd |= m
	}
	d.Skip()
	return canon.Text{}
}

func (k *kinds) readString(d *jsonx.Decoder, m member) string {
	if kind := d.Kind(); kind != jsonx.String && kind != jsonx.Null {
		k.odd |= m
	}
	return d.OptStr()
}

// readRaw reads a value; null is none.
func readRaw(d *jsonx.Decoder) canon.Raw {
	if d.Kind() == jsonx.Null {
		d.Skip()
		return nil
	}
	return d.CleanRaw()
}

// readFreeText reads the free text that a custom call has as its input.
func readFreeText(d *jsonx.Decoder) canon.Text {
	if d.Kind() == jsonx.String {
		return canon.ReadText(d)
	}
	return canon.NewText(string(readRaw(d)))
}

// readOther reads a member that canon does not model. That an item is complete
// goes without saying.
func readOther(d *jsonx.Decoder, e *canon.Ext, name []byte) {
	if string(name) != "status" {
		e.Read(d, Name, name)
		return
	}
	if raw := readRaw(d); raw != nil && string(raw) != `"completed"` {
		e.Dialect = Name
		e.Members = append(e.Members, canon.Member{Name: "status", Value: raw})
	}
}

// readExt reads the members of an item but those that its type models.
func readExt(item canon.Raw, modeled member) (e canon.Ext) {
	d := jsonx.NewDecoder(item)
	for name := range d.Members() {
		if memberOf(name)&modeled == 0 {
			readOther(d, &e, name)
		}
	}
	return e
}
