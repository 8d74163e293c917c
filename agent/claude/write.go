package claude

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// maxLastPrompt is how much of the last prompt the file's end repeats, in bytes.
const maxLastPrompt = 200

const stampLayout = "2006-01-02T15:04:05.000Z"

// Write implements [agent.Writer]. Every record has the full envelope, since
// older clients refuse or hang without it.
func (a *Agent) Write(ctx context.Context, t canon.Thread, msgs canon.Messages, o agent.WriteOptions) (_ *agent.Written, err error) {
	m, err := a.Manifest()
	if err != nil {
		return nil, err
	}
	if err := o.Prepare(m); err != nil {
		return nil, err
	}
	if o.Path == "" {
		dir := o.Folder
		if dir == "" {
			if dir, err = projectDir(o.Home, t.Dir); err != nil {
				return nil, err
			}
		}
		o.Path = filepath.Join(dir, o.ID+".jsonl")
	}
	out, err := agent.CreateOutput(o.Path, o.Report, o.File...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Abort()) }()
	w := newWriter(out, &o, t, m.Verified)
	if w.stamp = t.Created; w.stamp.IsZero() {
		w.stamp = o.Now
	}
	for m, err := range canon.InCallOrder(canon.Fit(msgs, capacity(), nil, o.Report), o.Report) {
		if err != nil {
			return nil, err
		}
		out.Emit(m)
		if err := w.message(m); err != nil {
			return nil, err
		}
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	return out.Commit(ctx, &o, func(ctx context.Context, f *jsonl.File) (agent.Session, error) {
		return open(ctx, f, o.Path, agent.OpenOptions{})
	})
}

// writer writes the records of one session.
type writer struct {
	out    *agent.Output
	o      agent.WriteOptions
	thread canon.Thread
	// fixed are the members that all records of the chain have alike.
	fixed   []byte
	buf     []byte
	scratch []byte
	stamp   time.Time // of the record before
	n       int       // records in the chain
	last    string    // uuid of the record before
	prompt  string    // the last prompt
	// group is the id of the API message that is being written; source is the
	// one it had before.
	group, source string
	inAnswer      bool
	calls         map[string]string // open calls: id to the uuid of their record
}

// newWriter returns a writer for records of that version of the client.
func newWriter(out *agent.Output, o *agent.WriteOptions, t canon.Thread, version string) *writer {
	w := &writer{out: out, o: *o, thread: t, calls: make(map[string]string)}
	w.buf = append(w.buf, `,"isSidechain":false,"userType":"external"`...)
	w.member("cwd", t.Dir)
	w.member("sessionId", o.ID)
	w.member("version", version)
	w.member("gitBranch", t.Git.Branch)
	w.fixed, w.buf = w.buf, nil
	return w
}

// uuid returns the id of the n-th record, or of another thing that is numbered.
// It follows from the session's id, so that the same hand-over gives the same
// file.
func (w *writer) uuid(kind string, n int) string {
	w.scratch = append(append(append(append(w.scratch[:0], w.o.ID...), '/'), kind...), '/')
	w.scratch = strconv.AppendInt(w.scratch, int64(n), 10)
	return uuid.Derive(w.scratch)
}

func (w *writer) message(m *canon.Message) error {
	if !m.Time.IsZero() {
		w.stamp = m.Time
	}
	if m.Role != canon.Assistant {
		w.inAnswer = false
	}
	for _, p := range w.parts(m) {
		if p.role == canon.Assistant {
			other := m.Group != "" && w.source != "" && m.Group != w.source
			// Calls that wait for results are of one API message.
			if !w.inAnswer || other && len(w.calls) == 0 {
				w.group = "msg_crosswalk_" + strings.ReplaceAll(w.uuid("message", w.n), "-", "")
			}
			w.source, w.inAnswer = m.Group, true
		}
		if err := w.record(m, &p); err != nil {
			return fmt.Errorf("write %s: %w", m.Where(), err)
		}
		if p.role != canon.Assistant && len(w.calls) == 0 {
			// What follows a result is another API message: within one the
			// client would move text before calls.
			w.inAnswer = false
		}
	}
	if m.Role == canon.User && m.Kind == canon.Typed {
		if t, ok := m.First().(*canon.TextBlock); ok {
			w.prompt = agent.Head(t.Text, maxLastPrompt)
		}
	}
	return nil
}

// record writes one chain record.
func (w *writer) record(m *canon.Message, p *part) error {
	parent := w.last
	id := w.uuid("record", w.n)
	w.n++
	result, _ := p.blocks[0].(*canon.ToolResultBlock)
	if result != nil {
		// A result follows its own call; parallel ones hang side by side.
		if call := w.calls[result.CallID]; call != "" {
			parent = call
			delete(w.calls, result.CallID)
		}
	}
	if call, ok := p.blocks[0].(*canon.ToolCallBlock); ok {
		w.calls[call.CallID] = id
	}
	w.buf = append(w.buf[:0], `{"parentUuid":`...)
	if parent == "" {
		w.buf = append(w.buf, "null"...)
	} else {
		w.buf = jsonx.AppendQuote(w.buf, parent)
	}
	w.buf = append(w.buf, w.fixed...)
	w.member("type", string(p.role))
	var err error
	if p.role == canon.Assistant {
		err = w.answer(m, p)
	} else {
		err = w.user(m, p, result, parent)
	}
	if err != nil {
		return err
	}
	if !p.link.isZero() {
		w.buf = append(w.buf, `,"`+linkField+`":`...)
		w.buf = p.link.append(w.buf)
	}
	w.member("uuid", id)
	w.buf = append(w.buf, `,"timestamp":"`...)
	w.buf = w.stamp.UTC().AppendFormat(w.buf, stampLayout)
	w.buf = append(w.buf, `"}`...)
	w.last = id
	return w.out.WriteLine(w.buf)
}

func (w *writer) member(name, value string) {
	w.buf = append(w.buf, `,"`...)
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, `":`...)
	w.buf = jsonx.AppendQuote(w.buf, value)
}

// user appends what a user record has.
func (w *writer) user(m *canon.Message, p *part, result *canon.ToolResultBlock, call string) (err error) {
	w.buf = append(w.buf, `,"message":{"role":"user","content":`...)
	if result != nil {
		// A result stands in a list always.
		w.buf = append(w.buf, '[')
		w.buf, err = anthropic.AppendBlock(w.buf, result)
		w.buf = append(w.buf, ']')
	} else {
		w.buf, err = anthropic.AppendContent(w.buf, p.blocks)
	}
	if err != nil {
		return err
	}
	w.buf = append(w.buf, '}')
	switch {
	case result != nil:
		w.member("sourceToolAssistantUUID", call)
	case m.Kind == canon.Summary:
		w.buf = append(w.buf, `,"isCompactSummary":true`...)
	case m.Kind != canon.Typed || m.Role == canon.System:
		w.buf = append(w.buf, `,"isMeta":true`...)
	}
	return nil
}

// answer appends what an assistant record has. A model name that the client
// does not know makes it complain on resume; <synthetic> does not. (Claude Code
// 2.1.332.)
func (w *writer) answer(m *canon.Message, p *part) (err error) {
	model := w.o.Model
	if model == "" {
		model = syntheticModel
	}
	w.buf = append(w.buf, `,"message":{"id":`...)
	w.buf = jsonx.AppendQuote(w.buf, w.group)
	w.buf = append(w.buf, `,"type":"message","role":"assistant","model":`...)
	w.buf = jsonx.AppendQuote(w.buf, model)
	w.buf = append(w.buf, `,"content":[`...)
	if w.buf, err = anthropic.AppendBlock(w.buf, p.blocks[0]); err != nil {
		return err
	}
	stop := "end_turn"
	if p.blocks[0].Kind() == canon.KindToolCall {
		stop = "tool_use"
	}
	w.buf = append(w.buf, `],"stop_reason":"`...)
	w.buf = append(w.buf, stop...)
	w.buf = append(w.buf, `","stop_sequence":null,"usage":{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}`...)
	if m.Model != model {
		p.link.Model = m.Model
	}
	return nil
}

// finish ends the file with what the client's own files end with, and with
// where the session came from.
func (w *writer) finish() error {
	l := link{Agent: w.o.Marker.SourceAgent, ID: w.o.Marker.SourceID, Handoff: w.o.Marker.Handoff, Version: w.o.Marker.Version}
	w.buf = append(w.buf[:0], `{"type":"`+linkType+`","`+linkField+`":`...)
	w.buf = l.append(w.buf)
	if err := w.bookkeep(); err != nil {
		return err
	}
	if title := w.o.Marker.HandedOverTitle(&w.thread); title != "" {
		w.buf = append(w.buf[:0], `{"type":"custom-title"`...)
		w.member("customTitle", title)
		if err := w.bookkeep(); err != nil {
			return err
		}
	}
	w.buf = append(w.buf[:0], `{"type":"last-prompt"`...)
	if w.prompt != "" {
		w.member("lastPrompt", w.prompt)
	}
	w.member("leafUuid", w.last)
	return w.bookkeep()
}

func (w *writer) bookkeep() error {
	w.member("sessionId", w.o.ID)
	w.buf = append(w.buf, '}')
	return w.out.WriteLine(w.buf)
}
