package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Merge implements [agent.Merger]. The copy is a thread of its own: wherever
// its records name the thread they name the new one. What is added has the
// form that the thread has: legacy records, or paginated ones with the next
// ordinals and the items that the client shows them by.
func (a *Agent) Merge(ctx context.Context, path string, msgs canon.Messages, o agent.MergeOptions) (_ *agent.Written, err error) {
	m, err := a.Manifest()
	if err != nil {
		return nil, err
	}
	if err := o.Prepare(m); err != nil {
		return nil, err
	}
	s := &session{opts: agent.OpenOptions{Home: o.Home, View: agent.FullView}, seed: maphash.MakeSeed()}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.openAt(ctx, path, o.Size, 0); err != nil {
		return nil, err
	}
	if o.Path == "" {
		if o.Path, err = rolloutPath(&o.WriteOptions); err != nil {
			return nil, err
		}
		sweep(&o.WriteOptions)
	}
	out, err := agent.CreateOutput(o.Path, o.Report, o.File...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Abort()) }()
	if err := s.merge(ctx, msgs, out, &o); err != nil {
		return nil, err
	}
	return out.Commit(ctx, &o.WriteOptions, func(ctx context.Context, f *jsonl.File) (agent.Session, error) {
		return openFile(ctx, f, o.Path, s.opts)
	})
}

func (s *session) merge(ctx context.Context, msgs canon.Messages, out *agent.Output, o *agent.MergeOptions) error {
	own := s.files[len(s.files)-1]
	if own.facts.wrapped == 0 {
		return fmt.Errorf("add to %q: Codex no longer resumes rollouts of this age: %w", own.file.Path(), agent.ErrNotResumed)
	}
	var calls canon.CallIDs
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return err
		}
		out.Expect(m)
		calls.Add(m)
	}
	w := &writer{out: out, o: o.WriteOptions, thread: s.thread, stamp: s.thread.Updated, listed: true, turnPrefix: o.ID[:8] + "-"}
	if own.facts.meta.historyMode == historyPaginated {
		w.ordinal = &own.facts.lastOrdinal
	}
	r := renamed{old: s.thread.ID, id: o.ID}
	if own.read.Torn > 0 {
		// What breaks off is no record: its client is about to write it.
		own.file.Limit(own.read.Bytes)
		o.Report.Note("torn-line-of-the-original-left-out", 1)
	}
	newline := true
	err := own.file.Lines(func(line []byte) error {
		newline = line[len(line)-1] == '\n'
		line = r.line(line)
		if w.lines == 0 {
			line = w.remark(line)
		}
		return out.WriteRaw(line)
	})
	if err != nil {
		return err
	}
	if !newline {
		if err := out.WriteRaw([]byte{'\n'}); err != nil {
			return err
		}
	}
	for m, err := range canon.Fit(msgs, capacity(), &calls, o.Report) {
		if err != nil {
			return err
		}
		out.Emit(m)
		if err := w.message(m); err != nil {
			return err
		}
	}
	if err := errors.Join(w.endTurn(), w.name()); err != nil || w.lines == 0 {
		return err
	}
	return out.Patch(w.lines, appendPadded(nil, out.Lines))
}

// remark puts the copy's own markers into its first session_meta, in the place
// of those that the copied thread has: they told where that one came from. It adds
// the model provider if the thread names none.
func (w *writer) remark(line []byte) []byte {
	d := jsonx.NewDecoder(line)
	if d.Kind() != jsonx.Object {
		return line
	}
	meta := false
	from, to := -1, -1
	for name := range d.Members() {
		switch string(name) {
		case "type":
			meta = d.OptStr() == "session_meta"
		case "payload":
			from = d.Next()
			d.Skip()
			to = d.Offset()
		}
	}
	if d.Err() != nil || !meta || from < 0 || line[from] != '{' {
		return line
	}
	var marks []byte
	ours := []string{markerField, crosswalkField}
	if p := provider(&w.o); p != "" && !namesProvider(line[from:to]) {
		ours = append(ours, providerField)
		marks = jsonx.AppendQuote([]byte(`,"`+providerField+`":`), p)
	}
	payload := withoutMembers(line[from:to], ours...)
	payload = payload[:len(payload)-1] // its brace
	before := from + len(payload)
	marks = appendMarkers(marks, w.o.Marker, 0)
	if len(payload) == 1 {
		marks = marks[1:] // the comma
	}
	w.lines = w.out.Size + int64(before+emittedLinesAt(marks))
	out := append(append(append([]byte{}, line[:from]...), payload...), marks...)
	return append(append(out, '}'), line[to:]...)
}

// namesProvider reports whether a thread's first payload says which model provider
// it is of: rollouts of before 0.63 do not.
func namesProvider(meta []byte) (named bool) {
	d := jsonx.NewDecoder(meta)
	for name := range d.Members() {
		if string(name) == providerField {
			named = d.OptStr() != ""
		} else {
			d.Skip()
		}
	}
	return named
}

// withoutMembers returns a copy of the object v that lacks the named members.
func withoutMembers(v []byte, names ...string) []byte {
	out := []byte{'{'}
	d := jsonx.NewDecoder(v)
	at := 1
	for name := range d.Members() {
		drop := slices.Contains(names, string(name))
		d.Skip()
		member := bytes.TrimLeft(v[at:d.Offset()], ", \t\r\n")
		at = d.Offset()
		if drop {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, member...)
	}
	return append(out, '}')
}

// historyPaginated is the history_mode of rollouts with ordinals.
const historyPaginated = "paginated"

// renamed gives the records of a copied thread the id of the copy. Items keep
// what they say, and a history_base goes on naming the file it means.
type renamed struct{ old, id string }

func (r *renamed) line(line []byte) []byte {
	d := jsonx.NewDecoder(line)
	if d.Kind() != jsonx.Object {
		return line
	}
	typ, from, to := "", -1, -1
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "payload":
			from = d.Next()
			d.Skip()
			to = d.Offset()
		}
	}
	if d.Err() != nil || from < 0 || typ == "response_item" || typ == "compacted" {
		return line
	}
	payload := r.payload(line[from:to])
	if payload == nil {
		return line
	}
	out := make([]byte, 0, len(line)+len(payload)-(to-from))
	out = append(append(out, line[:from]...), payload...)
	return append(out, line[to:]...)
}

// payload returns v with the thread's id replaced in every string value but
// those of its history_base; nil if nothing is to be replaced.
func (r *renamed) payload(v canon.Raw) canon.Raw {
	d := jsonx.NewDecoder(v)
	if d.Kind() != jsonx.Object {
		return nil
	}
	var out canon.Raw
	at := 0
	for name := range d.Members() {
		if string(name) == "history_base" {
			continue
		}
		from := d.Next()
		raw := d.Raw()
		now := jsonx.MapStrings(raw, func(s string) (string, bool) { return r.id, s == r.old })
		if len(now) == len(raw) && string(now) == string(raw) {
			continue
		}
		out = append(append(out, v[at:from]...), now...)
		at = from + len(raw)
	}
	if d.Err() != nil || at == 0 {
		return nil
	}
	return append(out, v[at:]...)
}

// openAt opens the thread as it was when its file had size bytes, or that many
// lines; 0 is now.
func (s *session) openAt(ctx context.Context, path string, size int64, lines int) error {
	f, err := jsonl.Open(ctx, path, jsonl.Limits{})
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	if err := agent.Rewind(f, size, lines); err != nil {
		return errors.Join(err, f.Close())
	}
	return s.openOwn(ctx, f, path)
}

// item returns the event that shows text in a paginated thread.
func (w *writer) item(m *canon.Message, typ string, text canon.Text) error {
	w.begin(m, "event_msg")
	w.buf = append(w.buf, `{"type":"item_completed"`...)
	w.string("thread_id", w.o.ID)
	w.string("turn_id", w.turn)
	w.buf = append(w.buf, `,"item":{"type":"`+typ+`"`...)
	w.string("id", "item-"+w.turnPrefix+strconv.FormatInt(*w.ordinal, 10))
	kind := `"text"`
	if typ == "AgentMessage" {
		kind = `"Text"`
	}
	w.buf = append(w.buf, `,"content":[{"type":`+kind+`,"text":`...)
	w.buf = text.AppendQuoted(w.buf)
	if typ == "UserMessage" {
		w.buf = append(w.buf, `,"text_elements":[]`...)
	}
	w.buf = append(w.buf, `}]},"started_at_ms":`...)
	w.buf = strconv.AppendInt(w.buf, w.stamp.UnixMilli(), 10)
	w.buf = append(w.buf, `,"completed_at_ms":`...)
	w.buf = strconv.AppendInt(w.buf, w.stamp.UnixMilli(), 10)
	w.buf = append(w.buf, '}')
	return w.end()
}
