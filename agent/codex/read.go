package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Messages implements [agent.Session].
func (s *session) Messages(ctx context.Context) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		rd := reader{s: s, windows: make(map[*index]*jsonl.Window), report: s.opts.Report}
		if s.counted {
			rd.report = nil // what the file holds is counted once
		}
		s.counted = true
		for _, r := range s.refs {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			m, err := rd.message(r)
			if err != nil {
				yield(nil, err)
				return
			}
			if m != nil && !yield(m, nil) {
				return
			}
		}
		for _, x := range s.files {
			if err := x.file.Unchanged(); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// reader decodes the items of a session's view.
type reader struct {
	s       *session
	windows map[*index]*jsonl.Window
	dec     jsonx.Decoder
	report  *canon.Report
	// stamp of the record that is read.
	stamp time.Time
}

// message returns the message of an item, or nil if it has none.
func (rd *reader) message(r ref) (*canon.Message, error) {
	x := rd.s.files[r.file]
	e := x.at(r.i)
	if r.sub >= 0 {
		rd.stamp = time.Time{} // it says when it was compacted
		m := readItem(jsonx.NewDecoder(rd.s.history[r.sub]))
		return rd.finish(m, x, r, e, true), nil
	}
	w := rd.windows[x]
	if w == nil {
		w = x.file.Window()
		rd.windows[x] = w
	}
	data, err := w.Read(e.off, int(e.size))
	if err != nil {
		return nil, err
	}
	d := &rd.dec
	d.ResetKnown(data, e.long)
	m := rd.record(d, e)
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("read %q line %d: %w: %w", x.file.Path(), e.line, jsonl.ErrChanged, err)
	}
	agent.NoteRepaired(rd.report, int(e.line), d.Damaged())
	return rd.finish(m, x, r, e, rd.s.events), nil
}

// record decodes a record's payload, or the record itself in the oldest form.
func (rd *reader) record(d *jsonx.Decoder, e *entry) (m *canon.Message) {
	rd.stamp = time.Time{}
	if e.bare {
		return readItem(d)
	}
	for name := range d.Members() {
		switch string(name) {
		case "timestamp":
			rd.stamp = d.OptTime()
		case "payload":
			switch e.typ {
			case recCompact:
				m = readCompacted(d)
			case recTyped, recAnswer:
				m = readEvent(d)
			case recItem, recUserItem, recCall, recOutput, recNone, recRollback:
				m = readItem(d)
			}
		}
	}
	return m
}

// finish fills in what the item itself does not say. known tells whether the
// rollout's events say what was typed.
func (rd *reader) finish(m *canon.Message, x *index, r ref, e *entry, known bool) *canon.Message {
	if m == nil {
		return nil
	}
	m.Line = int(e.line)
	if own := rd.s.files[len(rd.s.files)-1]; x != own {
		m.File = filepath.Base(x.file.Path())
	}
	m.Time = rd.stamp
	if m.Role == canon.Assistant {
		m.Model = x.model(r.i)
	}
	mark := takeMark(m)
	if r.summary && (r.sub >= 0 || m.Role == canon.Assistant) {
		m.Kind = canon.Summary
	}
	if !hasResult(m) && m.Kind != canon.Summary {
		if !mark.plain {
			tag(m, x.facts.meta.baseInstructions)
		}
		setKind(m, r.typed, known)
	}
	if mark.kind != "" && m.Role == canon.User {
		m.Kind = mark.kind
	}
	if c, ok := m.First().(*canon.ToolCallBlock); ok && c.Call == canon.CallProvider && c.CallID == "" {
		c.CallID = mark.id
	}
	if mark.system && m.Role == canon.System {
		m.Authority = canon.AuthoritySystem
	}
	if res, ok := m.First().(*canon.ToolResultBlock); ok && res.IsInterrupted() {
		res.Synthesized = true
	}
	if len(m.Blocks) == 0 {
		return nil
	}
	return m
}

// readItem reads a response item; nil for one that stands for no content.
func readItem(d *jsonx.Decoder) *canon.Message {
	m := responses.ReadItem(d)
	if o, ok := m.First().(*canon.OpaqueBlock); ok {
		switch o.Type {
		case "ghost_snapshot", "compaction_trigger", "configuration_update":
			return nil
		case "additional_tools":
			o.Tag = "additional_tools"
		}
	}
	return m
}

// readCompacted reads a compaction: a mark, or the summary where there is no
// replacement history that holds it.
func readCompacted(d *jsonx.Decoder) *canon.Message {
	var summary canon.Text
	history := false
	for name := range d.Members() {
		switch string(name) {
		case "message":
			if d.Kind() == jsonx.String {
				summary = canon.ReadText(d)
			}
		case "replacement_history":
			history = d.Kind() == jsonx.Array
		}
	}
	if !history && !summary.IsBlank() {
		return &canon.Message{Role: canon.User, Kind: canon.Summary, Blocks: []canon.Block{&canon.TextBlock{Text: summary}}}
	}
	return &canon.Message{Role: canon.System, Authority: canon.AuthoritySystem, Kind: canon.Injected, Blocks: []canon.Block{&canon.CompactionBlock{}}}
}

// readEvent reads a message from the event that shows it, in a rollout that
// holds no items.
func readEvent(d *jsonx.Decoder) *canon.Message {
	m := &canon.Message{Role: canon.User}
	typedMembers(d, func(d *jsonx.Decoder, typ, name string) {
		switch {
		case name == "message" && d.Kind() == jsonx.String:
			if typ == "agent_message" {
				m.Role = canon.Assistant
			}
			m.Blocks = append(m.Blocks, &canon.TextBlock{Text: canon.ReadText(d)})
		case name == "item" && d.Kind() == jsonx.Object:
			readCompleted(d, m)
		}
	})
	return m
}

// readCompleted reads the item that a paginated rollout shows.
func readCompleted(d *jsonx.Decoder, m *canon.Message) {
	typedMembers(d, func(d *jsonx.Decoder, typ, name string) {
		if name != "content" || d.Kind() != jsonx.Array {
			return
		}
		if typ == "AgentMessage" {
			m.Role = canon.Assistant
		}
		for range d.Elements() {
			if d.Kind() != jsonx.Object {
				continue
			}
			for member := range d.Members() {
				if string(member) == "text" && d.Kind() == jsonx.String {
					m.Blocks = append(m.Blocks, &canon.TextBlock{Text: canon.ReadText(d)})
				}
			}
		}
	})
}
