package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// stampLayout is the client's: RFC 3339 in UTC with milliseconds.
const stampLayout = "2006-01-02T15:04:05.000Z"

// listingLines is how far into a rollout the picker of Codex 0.171.0 surely
// finds the first prompt.
const listingLines = 10

// Write implements [agent.Writer]. It writes the legacy form: response items
// for the model, and beside them the events that the picker and the transcript
// show.
func (a *Agent) Write(ctx context.Context, t canon.Thread, msgs canon.Messages, o agent.WriteOptions) (_ *agent.Written, err error) {
	m, err := a.Manifest()
	if err != nil {
		return nil, err
	}
	if err := o.Prepare(m); err != nil {
		return nil, err
	}
	if o.Path == "" {
		if o.Path, err = rolloutPath(&o); err != nil {
			return nil, err
		}
		sweep(&o)
	}
	out, err := agent.CreateOutput(o.Path, o.Report, o.File...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Abort()) }()
	w := &writer{out: out, o: o, thread: t, stamp: t.Created}
	if w.stamp.IsZero() {
		w.stamp = o.Now
	}
	if err := errors.Join(w.meta(m.Verified), w.name()); err != nil {
		return nil, err
	}
	for m, err := range canon.Fit(msgs, capacity(), nil, o.Report) {
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
		return openFile(ctx, f, o.Path, agent.OpenOptions{})
	})
}

// rolloutPath returns where the client would put a rollout: folders and name in
// local time. (Codex 0.171.0.)
func rolloutPath(o *agent.WriteOptions) (string, error) {
	local := o.Now.Local()
	name := "rollout-" + local.Format("2006-01-02T15-04-05") + "-" + o.ID + ".jsonl"
	if o.Folder != "" {
		return filepath.Join(o.Folder, name), nil
	}
	live, _, err := roots(o.Home)
	if err != nil {
		return "", err
	}
	return filepath.Join(live, local.Format("2006"), local.Format("01"), local.Format("02"), name), nil
}

// Place implements [agent.Placer].
func (*Agent) Place(home agent.Home, _, id string, now time.Time) (string, error) {
	return rolloutPath(&agent.WriteOptions{Home: home, ID: id, Now: now})
}

// sweep removes what killed hand-overs of other days left in the client's home.
// What cannot be removed now waits for the next hand-over.
func sweep(o *agent.WriteOptions) {
	live, _, err := roots(o.Home)
	if err != nil || o.Folder != "" {
		return
	}
	days, _ := fs.Glob(os.DirFS(live), "*/*/*") // the pattern is a good one
	for _, day := range days {
		_, _ = atomicfile.Sweep(filepath.Join(live, filepath.FromSlash(day)), atomicfile.LeftoverAge)
	}
}

// writer writes the lines of one rollout.
type writer struct {
	out    *agent.Output
	o      agent.WriteOptions
	thread canon.Thread
	buf    []byte
	stamp  time.Time // of the record before
	turns  int
	turn   string // id of the open turn
	answer canon.Text
	listed bool // an event shows the picker a prompt
	lines  int64
	// turnPrefix keeps the turns of what is added apart from those that are
	// there.
	turnPrefix string
	// told are what was said to be lost once and for all.
	told struct{ model, usage bool }
	// ordinal is that of the record before, in a paginated thread.
	ordinal *int64
}

// begin starts a line with its timestamp and type.
func (w *writer) begin(m *canon.Message, typ string) {
	if m != nil && !m.Time.IsZero() {
		w.stamp = m.Time
	}
	w.buf = append(w.buf[:0], `{"timestamp":"`...)
	w.buf = w.stamp.UTC().AppendFormat(w.buf, stampLayout)
	w.buf = append(w.buf, '"')
	if w.ordinal != nil {
		*w.ordinal++
		w.buf = append(w.buf, `,"ordinal":`...)
		w.buf = strconv.AppendInt(w.buf, *w.ordinal, 10)
	}
	w.buf = append(w.buf, `,"type":"`...)
	w.buf = append(w.buf, typ...)
	w.buf = append(w.buf, `","payload":`...)
}

func (w *writer) end() error {
	w.buf = append(w.buf, '}')
	return w.out.WriteLine(w.buf)
}

func (w *writer) string(name, value string) {
	w.buf = append(w.buf, `,"`...)
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, `":`...)
	w.buf = jsonx.AppendQuote(w.buf, value)
}

// linesWidth is the room that the number of lines has in the first line; it is
// known only at the end.
const linesWidth = 12

// meta writes the first line.
func (w *writer) meta(version string) error {
	w.begin(nil, "session_meta")
	w.buf = append(w.buf, `{"id":`...)
	w.buf = jsonx.AppendQuote(w.buf, w.o.ID)
	w.string("session_id", w.o.ID)
	w.string("timestamp", w.stamp.UTC().Format(stampLayout))
	w.string("cwd", w.thread.Dir)
	w.string("originator", originator)
	w.string("cli_version", version)
	w.string("source", "cli")
	w.string("thread_source", "user")
	if p := provider(&w.o); p != "" {
		w.string(providerField, p)
	}
	if g := w.thread.Git; g.Branch != "" || g.Commit != "" {
		w.buf = append(w.buf, `,"git":{"branch":`...)
		w.buf = jsonx.AppendQuote(w.buf, g.Branch)
		if g.Commit != "" {
			w.string("commit_hash", g.Commit)
		}
		w.buf = append(w.buf, '}')
	}
	before := len(w.buf)
	w.buf = appendMarkers(w.buf, w.o.Marker, 0)
	w.lines = int64(before + emittedLinesAt(w.buf[before:]))
	w.buf = append(w.buf, '}')
	return w.end()
}

// emittedLinesAt returns where in the markers the number of lines stands.
func emittedLinesAt(markers []byte) int {
	name := []byte(`"emittedLines":`)
	return bytes.Index(markers, name) + len(name)
}

// name writes the session's title. Codex 0.171.0 keeps the names that people
// give in files beside, and reads over this record, which older versions wrote;
// our own listing shows it.
func (w *writer) name() error {
	title := w.o.Marker.HandedOverTitle(&w.thread)
	if title == "" {
		return nil
	}
	w.begin(nil, "event_msg")
	w.buf = append(w.buf, `{"type":"thread_name_updated"`...)
	w.string("thread_id", w.o.ID)
	w.string("thread_name", title)
	w.buf = append(w.buf, '}')
	return w.end()
}

// finish closes the last turn and completes the first line.
func (w *writer) finish() error {
	if err := w.endTurn(); err != nil {
		return err
	}
	if err := w.list(); err != nil {
		return err
	}
	return w.out.Patch(w.lines, appendPadded(nil, w.out.Lines))
}

func appendPadded(dst []byte, n int) []byte {
	at := len(dst)
	dst = strconv.AppendInt(dst, int64(n), 10)
	for len(dst)-at < linesWidth {
		dst = append(dst, ' ')
	}
	return dst
}

// unnamed reports once what the items of answers have no place for.
func (w *writer) unnamed(m *canon.Message) {
	if m.Model != "" && !w.told.model {
		w.told.model = true
		w.o.Report.Lose(canon.Loss{Where: m.Where(), What: "model", Action: canon.Dropped, Why: "answers in the target do not name their model; this is the first of all"})
	}
	if m.Usage != nil && !w.told.usage {
		w.told.usage = true
		w.o.Report.Lose(canon.Loss{Where: m.Where(), What: "usage", Action: canon.Dropped, Why: "answers in the target do not name what they cost; this is the first of all"})
	}
}

// message writes the items of m and the events that show them.
func (w *writer) message(m *canon.Message) error {
	if m.Role == canon.System && m.Authority == canon.AuthoritySystem {
		w.o.Report.Change(m, string(canon.KindText), canon.Moved, "system text becomes developer text")
	}
	w.unnamed(m)
	for _, b := range m.Blocks {
		if r, ok := b.(*canon.ToolResultBlock); ok && textSize(r.Content) > maxOutput {
			w.o.Report.Change(m, string(canon.KindToolResult), canon.Downgraded, outputIsCut)
		}
	}
	for run := range itemRuns(m) {
		prompt := typed(run)
		if err := w.listInTime(run, prompt); err != nil {
			return err
		}
		if prompt {
			if err := errors.Join(w.endTurn(), w.startTurn(m)); err != nil {
				return err
			}
		}
		w.begin(m, "response_item")
		var err error
		if w.buf, err = appendItem(w.buf, run); err != nil {
			return fmt.Errorf("write %s: %w", m.Where(), err)
		}
		if err := w.end(); err != nil {
			return err
		}
		if err := w.show(m, run); err != nil {
			return err
		}
	}
	return nil
}

// maxOutput is about how many bytes of a tool's output Codex 0.171.0 gives the
// model when it resumes a thread. The file holds all of it.
const (
	maxOutput   = 48_000
	outputIsCut = "Codex cuts the middle out of an output of more than about 48,000 bytes when it resumes a thread; the file holds all of it"
)

// textSize returns how many bytes the texts of a result have.
func textSize(content []canon.Block) (n int) {
	for _, b := range content {
		if t, ok := b.(*canon.TextBlock); ok {
			n += t.Text.Size()
		}
	}
	return n
}

// typed reports whether an item is a prompt, which begins a turn.
func typed(item *canon.Message) bool {
	if item.Role != canon.User || item.Kind != canon.Typed {
		return false
	}
	switch item.First().(type) {
	case *canon.TextBlock, *canon.ImageBlock, *canon.DocumentBlock:
		return true
	}
	return false
}

// The lines that an item takes, with what stands around it: a prompt with the
// end of a turn, the start of the next and the event that shows it; an answer
// with its event.
const (
	promptLines = 4
	answerLines = 2
)

// listInTime shows the picker a title if after item, which is a prompt or is
// not, the next place for one would be too late.
func (w *writer) listInTime(item *canon.Message, prompt bool) error {
	last := listingLines - answerLines - 1
	if prompt {
		last = listingLines - promptLines - 1
		if text, ok := joinText(item); !ok || !text.IsBlank() {
			last++ // it shows itself
		}
	}
	if w.listed || w.out.Lines <= last {
		return nil
	}
	return w.list()
}

func (w *writer) startTurn(m *canon.Message) error {
	w.turns++
	w.turn = "crosswalk-turn-" + w.turnPrefix + strconv.Itoa(w.turns)
	w.answer = canon.Text{}
	w.begin(m, "event_msg")
	w.buf = append(w.buf, `{"type":"task_started"`...)
	w.string("turn_id", w.turn)
	w.buf = append(w.buf, `,"model_context_window":null}`...)
	return w.end()
}

func (w *writer) endTurn() error {
	if w.turn == "" {
		return nil
	}
	w.begin(nil, "event_msg")
	w.buf = append(w.buf, `{"type":"task_complete"`...)
	w.string("turn_id", w.turn)
	w.buf = append(w.buf, `,"last_agent_message":`...)
	if w.answer.IsEmpty() {
		w.buf = append(w.buf, "null"...)
	} else {
		w.buf = w.answer.AppendQuoted(w.buf)
	}
	w.buf = append(w.buf, '}')
	w.turn = ""
	return w.end()
}

// show writes the event that shows a prompt or an answer on the screen.
func (w *writer) show(m, item *canon.Message) error {
	text, ok := joinText(item)
	typ, event := "AgentMessage", "agent_message"
	switch {
	case m.Role == canon.Assistant && ok:
		w.answer = text
	case typed(item):
		typ, event = "UserMessage", "user_message"
		if !ok && w.ordinal == nil {
			text = canon.NewText(imageMessage)
		}
		w.listed = w.listed || !text.IsBlank()
	default:
		return nil
	}
	if w.ordinal != nil {
		return w.item(m, typ, text)
	}
	w.begin(m, "event_msg")
	w.buf = append(w.buf, `{"type":"`+event+`","message":`...)
	w.buf = append(text.AppendQuoted(w.buf), '}')
	return w.end()
}

// list writes an event with the title, if nothing has shown the picker a prompt
// yet: without one near its beginning a rollout is not listed.
func (w *writer) list() error {
	if w.listed {
		return nil
	}
	w.listed = true
	title := w.o.Marker.HandedOverTitle(&w.thread)
	if title == "" {
		title = "Session of " + w.thread.Agent
	}
	w.begin(nil, "event_msg")
	w.buf = append(w.buf, `{"type":"user_message","message":`...)
	w.buf = append(jsonx.AppendQuote(w.buf, title), '}')
	return w.end()
}

// joinText returns the text of an item that holds any.
func joinText(m *canon.Message) (canon.Text, bool) {
	var texts []canon.Text
	for _, b := range m.Blocks {
		if t, ok := b.(*canon.TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return canon.Join(texts...), len(texts) > 0
}
