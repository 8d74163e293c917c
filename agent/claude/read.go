package claude

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// reader decodes the records of a session's view.
type reader struct {
	s      *session
	window *jsonl.Window
	dec    jsonx.Decoder
	report *canon.Report
	// held is a message whose call the provider answered; the answer may follow
	// in a record of its own.
	held *canon.Message
	// beside holds the names of the persisted outputs that were read, and repeated
	// how many bytes were read more than once.
	beside   map[string]bool
	repeated int64
}

// record is a whole chain record.
type record struct {
	uuid, id, model string
	time            time.Time
	content         []canon.Block
	usage           *canon.Usage
	attachment      attachment
	toolUseResult   canon.Raw
	link            link
}

type attachment struct {
	typ      string
	filename string
	path     string
	prompt   []canon.Block
	content  canon.Raw
}

// message returns the message of record i, or nil if it has none.
func (rd *reader) message(i int32) (*canon.Message, error) {
	e := rd.s.x.at(i)
	if e.typ == recOther {
		return nil, rd.unknown(e)
	}
	data, err := rd.window.Read(e.off, int(e.size))
	if err != nil {
		return nil, err
	}
	rec := rd.record(data, e.long)
	if err := rd.dec.Err(); err != nil {
		return nil, fmt.Errorf("read %q line %d: %w: %w", rd.s.file.Path(), e.line, jsonl.ErrChanged, err)
	}
	agent.NoteRepaired(rd.report, int(e.line), rd.dec.Damaged())
	m := &canon.Message{ID: rec.uuid, Line: int(e.line), Model: rec.model, Usage: rec.usage, Time: rec.time}
	switch e.typ {
	case recBoundary:
		m.Role, m.Authority, m.Kind = canon.System, canon.AuthoritySystem, canon.Injected
		m.Blocks = []canon.Block{&canon.CompactionBlock{}}
		return m, nil
	case recAttachment:
		return rd.attached(m, e, &rec), nil
	case recUser, recAssistant, recOther:
	}
	return rd.spoken(m, e, &rec), nil
}

// unknown counts a record of the branch whose type nobody knows: what it holds
// stays behind.
func (rd *reader) unknown(e *entry) error {
	if e.flags&flagUnknown == 0 || rd.report == nil {
		return nil
	}
	data, err := rd.window.Read(e.off, int(e.size))
	if err != nil {
		return err
	}
	typ := ""
	d := jsonx.NewDecoder(data)
	for name := range d.Members() {
		if string(name) == "type" {
			typ = d.OptStr()
		}
	}
	where := canon.Place(int(e.line))
	rd.report.DropUnread(canon.CountKind(canon.KindOpaque), 1, where, "record of unknown type "+strconv.Quote(typ))
	return nil
}

// spoken completes the message of a user or assistant record.
func (rd *reader) spoken(m *canon.Message, e *entry, rec *record) *canon.Message {
	m.Role = canon.User
	if e.typ == recAssistant {
		m.Role = canon.Assistant
		m.Group = rec.id
	}
	m.Blocks = rec.content
	switch {
	case e.flags&flagAPIError != 0:
		tagAll(m, "api-error")
	case e.flags&flagSummary != 0:
		m.Kind = canon.Summary
	case e.flags&flagMeta != 0:
		m.Kind = canon.Injected
	}
	if m.Role == canon.User {
		for _, b := range m.Blocks {
			if t, ok := b.(*canon.TextBlock); ok && m.Kind != canon.Summary && rec.link.Plain == "" {
				t.Tag = scaffoldTag(t.Text)
			}
		}
		rd.persisted(m, rec)
	}
	rec.link.restore(m)
	if len(m.Blocks) == 0 {
		return nil
	}
	return m
}

func tagAll(m *canon.Message, tag string) {
	m.Kind = canon.Injected
	for _, b := range m.Blocks {
		b.Meta().Tag = tag
	}
}

// attached turns an attachment into a message: text typed while the agent was
// busy is a prompt, a file mentioned with @ is context, and all else is what
// the client puts in by itself.
func (rd *reader) attached(m *canon.Message, e *entry, rec *record) *canon.Message {
	m.Role = canon.User
	switch a := &rec.attachment; {
	case e.flags&flagQueued != 0:
		m.Blocks = a.prompt
		for _, b := range m.Blocks {
			if t, ok := b.(*canon.TextBlock); ok {
				t.Tag = scaffoldTag(t.Text)
			}
		}
	case a.typ == "file" && a.content != nil:
		m.Kind = canon.Injected
		m.Blocks = fileBlocks(a)
	case a.typ == "nested_memory":
		m.Kind = canon.Injected
		m.Blocks = memoryBlocks(a)
	default:
		m.Kind = canon.Injected
		m.Blocks = clientNote(a)
	}
	if len(m.Blocks) == 0 {
		return nil
	}
	return m
}

// clientNote stands for what the client puts in by itself.
func clientNote(a *attachment) []canon.Block {
	return []canon.Block{&canon.TextBlock{BlockMeta: canon.BlockMeta{Tag: "attachment-" + a.typ}}}
}

// record decodes data.
func (rd *reader) record(data []byte, long jsonx.Extent) (rec record) {
	d := &rd.dec
	d.ResetKnown(data, long)
	for name := range d.Members() {
		switch string(name) {
		case "uuid":
			rec.uuid = d.OptStr()
		case "timestamp":
			rec.time = d.OptTime()
		case "message":
			rec.message(d)
		case "attachment":
			rec.attached(d)
		case "toolUseResult":
			rec.toolUseResult = d.Raw()
		case linkField:
			rec.link = readLink(d)
		}
	}
	return rec
}

func (rec *record) message(d *jsonx.Decoder) {
	switch d.Kind() {
	case jsonx.Object:
	case jsonx.String: // one public file has bare text here
		rec.content = anthropic.ReadContent(d)
		return
	default:
		d.Skip()
		return
	}
	for name := range d.Members() {
		switch string(name) {
		case "id":
			rec.id = d.OptStr()
		case "model":
			rec.model = d.OptStr()
		case "content":
			rec.content = anthropic.ReadContent(d)
		case "usage":
			rec.usage = anthropic.ReadUsage(d)
		}
	}
}

func (rec *record) attached(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	a := &rec.attachment
	for name := range d.Members() {
		switch string(name) {
		case "type":
			a.typ = d.OptStr()
		case "filename":
			a.filename = strings.ToValidUTF8(d.OptStr(), "\uFFFD")
		case "path":
			a.path = strings.ToValidUTF8(d.OptStr(), "\uFFFD")
		case "prompt":
			a.prompt = anthropic.ReadContent(d)
		case "content":
			a.content = d.CleanRaw()
		}
	}
}
