package dialect

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// Edits are edits by what they change. A codec asks them while it walks over a
// body.
type Edits []canon.Edit

// Model returns the model to name instead of one that is named.
func (e Edits) Model(was string) (now string, ok bool) {
	named := was != ""
	for _, x := range e {
		if x.Op == canon.EditModel && named {
			was, ok = x.To, true
		}
	}
	return was, ok
}

// Tool returns the name to call a tool by instead.
func (e Edits) Tool(was string) (now string, ok bool) {
	for _, x := range e {
		if x.Op == canon.EditTool && x.From == was {
			was, ok = x.To, true
		}
	}
	return was, ok
}

// Drops reports whether the member of the body is to be left out.
func (e Edits) Drops(name []byte) bool {
	for _, x := range e {
		if x.Op == canon.EditDrop && x.From == string(name) {
			return true
		}
	}
	return false
}

// System lists the texts to add to the system's.
func (e Edits) System() (texts []string) {
	for _, x := range e {
		if x.Op == canon.EditSystem {
			texts = append(texts, x.To)
		}
	}
	return texts
}

// Body appends a request's body with the edits made: members that are dropped, and
// what member makes of the others. The system's texts go into the member for which
// that returns true; a body that has none gets one called system behind the others,
// with the value that absent makes of the texts.
func (e Edits) Body(dst, body []byte, system string, absent func(texts []string) []byte, member func(p *jsonx.Patcher, name []byte, texts []string) (takes bool)) ([]byte, error) {
	return Splice(dst, body, func(p *jsonx.Patcher) {
		texts, added, some := e.System(), false, false
		p.Object(func(name []byte) bool {
			if e.Drops(name) {
				return false
			}
			some = true
			added = member(p, name, texts) || added
			return true
		})
		if len(texts) == 0 || added || p.Err() != nil {
			return
		}
		open := `"` + system + `":`
		if some {
			open = "," + open
		}
		p.Insert(p.Offset()-1, append([]byte(open), absent(texts)...))
	})
}

// EachElement gives the elements of the next value to edit, if that is a list.
func EachElement(p *jsonx.Patcher, edit func(*jsonx.Patcher)) {
	if p.Kind() != jsonx.Array {
		return
	}
	for range p.Elements() {
		edit(p)
	}
}

// Splice appends text with the patches that walk makes.
func Splice(dst, text []byte, walk func(*jsonx.Patcher)) ([]byte, error) {
	var p jsonx.Patcher
	p.Reset(text)
	walk(&p)
	if err := p.Err(); err != nil {
		return dst, fmt.Errorf("edit: %w", err)
	}
	return jsonx.Splice(dst, text, p.Patches), nil
}

// SpliceFrame appends a frame with the patches that walk makes in its data.
func SpliceFrame(dst []byte, f *sse.Event, walk func(*jsonx.Patcher)) ([]byte, error) {
	var p jsonx.Patcher
	p.Reset(f.Data)
	if p.Kind() != jsonx.Object {
		return append(dst, f.Raw...), nil
	}
	walk(&p)
	if err := p.Err(); err != nil {
		return dst, fmt.Errorf("edit frame: %w", err)
	}
	if len(p.Patches) == 0 {
		return append(dst, f.Raw...), nil
	}
	return sse.Append(dst, string(f.Name), jsonx.Splice(nil, f.Data, p.Patches)), nil
}
