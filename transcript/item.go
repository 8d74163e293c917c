package transcript

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// itemKind tells how an item is laid out.
type itemKind int

const (
	itemText itemKind = iota
	itemReasoning
	itemCall
	itemResult
	itemImage
	itemNote // something that is named only
	itemMark // a line across
)

// item is a content block as people read it.
type item struct {
	kind itemKind
	// name is the tool of a call or result, or what a note says.
	name shown
	// arg is the one argument of a call that tells most.
	arg   shown
	input *canon.Input
	text  shown
	// tag names scaffolding.
	tag    shown
	failed bool
	// beside says that a result does not directly follow its call.
	beside bool
	// parts is what a result holds.
	parts []item
	media *canon.Media
}

// reader turns blocks into items. It remembers the calls that are still to be
// answered.
type reader struct {
	open []openCall
	last string // id of the call that was read last, if nothing came after it
}

type openCall struct {
	id   string
	name shown
}

// maxOpen bounds the calls that wait for an answer.
const maxOpen = 256

// item returns b as an item.
func (r *reader) item(b canon.Block) item {
	last := r.last
	r.last = ""
	it := item{tag: showLine(b.Meta().Tag)}
	switch b := b.(type) {
	case *canon.TextBlock:
		it.text = showText(b.Text)
	case *canon.ImageBlock:
		it.kind, it.name, it.media = itemImage, imageName(&b.Media), &b.Media
	case *canon.DocumentBlock:
		it.kind, it.name, it.text = itemNote, documentName(&b.Media), showText(b.Plain)
	case *canon.ReasoningBlock:
		it.kind, it.name, it.text = itemReasoning, "reasoning", reasoning(b)
	case *canon.ToolCallBlock:
		it.kind, it.name = itemCall, toolName(b)
		it.arg, it.input = argument(&b.Input), &b.Input
		r.open = append(r.open, openCall{b.CallID, it.name})
		if len(r.open) > maxOpen {
			r.open = r.open[1:]
		}
		r.last = b.CallID
	case *canon.ToolResultBlock:
		it.kind, it.failed = itemResult, b.IsError
		it.name = r.answered(b.CallID)
		it.beside = b.CallID != last
		it.parts = parts(nil, b.Content)
	case *canon.CompactionBlock:
		it.kind, it.name = itemMark, "earlier messages were replaced by a summary"
	case *canon.OpaqueBlock:
		it.kind, it.name = itemNote, showLine(b.Dialect+" "+b.Type)+" "+size(len(b.Raw))
	}
	return it
}

// parts appends what a result holds. No agent nests results; what is in one
// stands beside the rest.
func parts(dst []item, content []canon.Block) []item {
	for _, b := range content {
		if r, ok := b.(*canon.ToolResultBlock); ok {
			dst = parts(dst, r.Content)
			continue
		}
		dst = append(dst, new(reader).item(b))
	}
	return dst
}

// isSealed reports whether only the vendor can read the item.
func (it *item) isSealed() bool { return it.kind == itemReasoning && it.text == "" && it.tag == "" }

// label says what a result is, where its place and content do not.
func (it *item) label() shown {
	var label shown
	if it.failed {
		label = "error"
	}
	if it.beside && it.name != "" {
		if !it.failed {
			label = "result"
		}
		label += " of " + it.name
	}
	switch {
	case len(it.parts) > 0:
		return label
	case label == "":
		return "no output"
	}
	return label + ": no output"
}

// answered returns the name of the tool whose call has the id.
func (r *reader) answered(id string) shown {
	for i, c := range r.open {
		if c.id == id {
			r.open = append(r.open[:i:i], r.open[i+1:]...)
			return c.name
		}
	}
	return ""
}

func toolName(b *canon.ToolCallBlock) shown {
	name := showLine(b.Name)
	if b.Namespace != "" {
		name = showLine(b.Namespace) + "." + name
	}
	if name == "" {
		name = "(a tool without a name)"
	}
	return name
}

// reasoning returns what a vendor shows of it; "" if it is sealed.
func reasoning(b *canon.ReasoningBlock) shown {
	if !b.Text.IsEmpty() {
		return showText(b.Text)
	}
	var parts []string
	for _, s := range b.Summary {
		parts = append(parts, s.String())
	}
	return show(strings.Join(parts, "\n\n"))
}

// imageName says what image it is: "image png 34 KB".
func imageName(m *canon.Media) shown { return mediaName("image", m) }

func documentName(m *canon.Media) shown { return mediaName("document", m) }

func mediaName(what shown, m *canon.Media) shown {
	out := what
	if typ := showLine(m.MediaType); typ != "" {
		out += " " + shown(typ[strings.LastIndexByte(string(typ), '/')+1:])
	}
	if m.Name != "" {
		out += " " + showLine(m.Name)
	}
	switch {
	case !m.URL.IsEmpty():
		out += " at " + showLine(m.URL.Head(maxURL))
	case !m.Plain.IsEmpty():
		out += " " + size(m.Plain.Size())
	default:
		out += " " + size(m.Data.Size()*3/4)
	}
	return out
}

// maxURL is how much of a URL is shown.
const maxURL = 200

// head is what stands above messages; messages with the same one go together.
type head struct{ who, model shown }

// headOf returns the head of m.
func headOf(m *canon.Message) head {
	h := head{who: showLine(string(m.Role))}
	switch m.Role {
	case canon.System:
		if m.Authority == canon.AuthorityDeveloper {
			h.who = "developer"
		}
	case canon.Assistant:
		h.model = showLine(m.Model)
	case canon.User:
	}
	if m.Kind != canon.Typed {
		h.who += ", " + showLine(strings.ReplaceAll(string(m.Kind), "-", " "))
	}
	return h
}

// isAside reports whether what m says was not said by a person or a model, so
// that its beginning is enough.
func isAside(m *canon.Message) bool {
	return m.Role == canon.System || m.Kind != canon.Typed && m.Kind != canon.Summary
}
