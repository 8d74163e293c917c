package gemini

import (
	"strconv"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// The members of parts that hold calls and results. What canon does not model of
// one is kept among the members of its block under both names:
// "functionCall.x".
const (
	callMember     = "functionCall"
	responseMember = "functionResponse"
)

func readCall(raw canon.Raw, ext canon.Ext) *canon.ToolCallBlock {
	b := &canon.ToolCallBlock{BlockMeta: canon.BlockMeta{Ext: ext}, Call: canon.CallFunction}
	b.Input.JSON = canon.Raw(`{}`)
	d := jsonx.NewDecoder(raw)
	for name := range d.Members() {
		switch string(camel(name)) {
		case "id":
			b.CallID = d.OptStr()
		case "name":
			b.Name = d.OptStr()
		case "args":
			b.Input = readArgs(d)
		default:
			b.Ext.Read(d, Name, []byte(callMember+"."+string(name)))
		}
	}
	return b
}

// readArgs reads the input of a call, an object. Some servers write its text.
func readArgs(d *jsonx.Decoder) canon.Input {
	switch d.Kind() {
	case jsonx.String:
		return canon.InputOf(canon.CallFunction, canon.ReadText(d).AppendTo(nil))
	case jsonx.Null, jsonx.End:
		d.Skip()
		return canon.Input{JSON: canon.Raw(`{}`)}
	case jsonx.Object, jsonx.Array, jsonx.Number, jsonx.True, jsonx.False:
	}
	return canon.Input{JSON: d.CleanRaw()}
}

// readResponse reads the result of a call, and the name of what was called.
func readResponse(raw canon.Raw, ext canon.Ext) (b *canon.ToolResultBlock, name string) {
	b = &canon.ToolResultBlock{BlockMeta: canon.BlockMeta{Ext: ext}}
	var media []canon.Block
	d := jsonx.NewDecoder(raw)
	for member := range d.Members() {
		switch string(camel(member)) {
		case "id":
			b.CallID = d.OptStr()
		case "name":
			name = d.OptStr()
		case "response":
			b.Content, b.IsError = readOutput(d)
		case "parts":
			l := list{}
			readParts(d, &l)
			media = l.blocks
		default:
			b.Ext.Read(d, Name, []byte(responseMember+"."+string(member)))
		}
	}
	b.Content = append(b.Content, media...)
	return b, name
}

// readOutput reads what a call resulted in. The API leaves the form of the object
// to the caller; its reference names "output" and "error", its library for Python
// writes "result". An object of any other form is text.
func readOutput(d *jsonx.Decoder) (content []canon.Block, isError bool) {
	start := d.Next()
	if d.Kind() != jsonx.Object {
		return readOutputText(d), false
	}
	members := 0
	for name := range d.Members() {
		members++
		switch string(name) {
		case "error":
			isError = true
			fallthrough
		case "output", "result":
			content = readOutputText(d)
		default:
			members++ // of no form that is known
		}
	}
	switch members {
	case 0:
		return nil, false
	case 1:
		return content, isError
	}
	raw, _ := jsonx.CleanValue(d.Slice(start))
	return []canon.Block{&canon.TextBlock{Text: canon.NewText(string(raw))}}, false
}

func readOutputText(d *jsonx.Decoder) []canon.Block {
	var t canon.Text
	switch d.Kind() {
	case jsonx.String:
		t = canon.ReadText(d)
	case jsonx.Null, jsonx.End:
		d.Skip()
	case jsonx.Object, jsonx.Array, jsonx.Number, jsonx.True, jsonx.False:
		t = canon.NewText(string(d.CleanRaw()))
	}
	if t.IsEmpty() {
		return nil
	}
	return []canon.Block{&canon.TextBlock{Text: t}}
}

// readParts gives s the parts of a content.
func readParts(d *jsonx.Decoder, s sink) {
	read := func() {
		p := readPart(d)
		if d.Err() == nil {
			p.into(s)
		}
	}
	switch d.Kind() {
	case jsonx.Array:
		for range d.Elements() {
			read()
		}
	case jsonx.Null, jsonx.End:
		d.Skip()
	case jsonx.Object, jsonx.String, jsonx.Number, jsonx.True, jsonx.False:
		read()
	}
}

// list is a sink that makes a list of blocks.
type list struct {
	blocks []canon.Block
	// merge says that the parts are those of an answer, of which neighbouring texts
	// are one, as they are if it is streamed.
	merge bool
	// run are the texts of the last block, if that is a text or thoughts and more can
	// be added.
	run []canon.Text
	// called and answered, if not nil, see calls and results before they are added.
	called   func(*canon.ToolCallBlock)
	answered func(*canon.ToolResultBlock, string)
}

func (l *list) inText() bool {
	return l.merge && len(l.run) > 0 && l.blocks[len(l.blocks)-1].Kind() == canon.KindText
}

// close ends the last block.
func (l *list) close() {
	if len(l.run) > 1 {
		switch b := l.blocks[len(l.blocks)-1].(type) {
		case *canon.TextBlock:
			b.Text = canon.Join(l.run...)
		case *canon.ReasoningBlock:
			b.Text = canon.Join(l.run...)
		}
	}
	l.run = l.run[:0]
}

func (l *list) add(b canon.Block, t canon.Text) {
	l.close()
	l.blocks = append(l.blocks, b)
	l.run = append(l.run, t)
}

func (l *list) text(t canon.Text, ext canon.Ext) {
	switch {
	case l.merge && t.IsEmpty():
	case l.inText() && len(ext.Members) == 0:
		l.run = append(l.run, t)
	default:
		l.add(&canon.TextBlock{BlockMeta: canon.BlockMeta{Ext: ext}, Text: t}, t)
	}
}

func (l *list) thought(t canon.Text, ext canon.Ext) {
	open := l.unsealed() != nil
	switch {
	case t.IsEmpty():
	case l.merge && open && len(ext.Members) == 0:
		l.run = append(l.run, t)
	default:
		l.add(&canon.ReasoningBlock{BlockMeta: canon.BlockMeta{Ext: ext}, Text: t, Capsule: canon.Capsule{Issuer: Name}}, t)
	}
}

// unsealed returns the thoughts that the list ends with, if a signature can
// belong to them.
func (l *list) unsealed() *canon.ReasoningBlock {
	if len(l.blocks) == 0 {
		return nil
	}
	if b, ok := l.blocks[len(l.blocks)-1].(*canon.ReasoningBlock); ok && b.Capsule.Sealed.IsEmpty() {
		return b
	}
	return nil
}

func (l *list) seal(t canon.Text) {
	l.close()
	if b := l.unsealed(); b != nil {
		b.Capsule.Sealed = t
		return
	}
	l.blocks = append(l.blocks, &canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: Name, Sealed: t}})
}

func (l *list) block(b canon.Block) {
	l.close()
	l.blocks = append(l.blocks, b)
}

func (l *list) call(b *canon.ToolCallBlock) {
	if l.called != nil {
		l.called(b)
	}
	l.block(b)
}

func (l *list) response(b *canon.ToolResultBlock, name string) {
	if l.answered != nil {
		l.answered(b, name)
	}
	l.block(b)
}

// pairing names the calls of a request that have no id, and finds which of them a
// result without one answers: the first of its name that has none.
type pairing struct {
	made   int
	open   map[string][]string // ids of unanswered calls by name
	unsent map[string][]string // of those, the ones that were made here
	known  map[string]bool     // ids of calls
	done   map[string]bool     // ids of results
}

func (p *pairing) call(b *canon.ToolCallBlock) {
	if p.open == nil {
		p.open, p.unsent = make(map[string][]string), make(map[string][]string)
		p.known, p.done = make(map[string]bool), make(map[string]bool)
	}
	if b.CallID == "" {
		p.made++
		b.CallID = "call_n" + strconv.Itoa(p.made)
		p.unsent[b.Name] = append(p.unsent[b.Name], b.CallID)
	}
	p.known[b.CallID] = true
	p.open[b.Name] = append(p.open[b.Name], b.CallID)
}

func (p *pairing) result(b *canon.ToolResultBlock, name string) {
	switch {
	case b.CallID == "":
		b.CallID = p.first(p.open, name)
	case !p.known[b.CallID]: // the client gave it an id that the call had not
		if id := p.first(p.unsent, name); id != "" {
			b.CallID = id
		}
	}
	if p.done != nil {
		p.done[b.CallID] = true
	}
}

// first returns the first id of the list that has no result, or "".
func (p *pairing) first(lists map[string][]string, name string) string {
	ids := lists[name]
	for len(ids) > 0 && p.done[ids[0]] {
		ids = ids[1:]
	}
	if lists != nil {
		lists[name] = ids
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[0]
}
