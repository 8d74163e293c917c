package check

import (
	"cmp"
	"context"
	"hash/maphash"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// codexFile is one rollout under examination.
type codexFile struct {
	found *collector
	file  *jsonl.File
	dec   jsonx.Decoder
	named string // thread id of the file's name

	records  int
	meta     codexMeta
	started  bool // the first line is a session_meta
	old      bool // the form of before October 2025
	paged    bool
	ordinals codexOrdinals
	history  codexHistory

	events    int  // that show a message
	listed    bool // a prompt is shown near enough to the beginning
	items     int  // for the model
	messages  int
	lastEvent int // line of the last event that shows a message
}

func newCodexFile(found *collector, f *jsonl.File, named string) *codexFile {
	c := &codexFile{found: found, file: f, named: named}
	c.history.pairs.seed = maphash.MakeSeed()
	c.history.max = found.max
	c.history.reset()
	return c
}

// scan reads the file once.
func (c *codexFile) scan(ctx context.Context) (*lines, error) {
	l := &lines{rules: lineRules{agent: agentCodex, behind: true}, found: c.found, record: c.record}
	if err := l.read(ctx, c.file); err != nil {
		return nil, err
	}
	return l, nil
}

// record examines one record.
func (c *codexFile) record(rec jsonl.Record, value []byte) error {
	if !isRecord(agentCodex, rec, value) {
		return errNoRecord
	}
	l, err := readCodexLine(&c.dec, value)
	if err != nil {
		return err
	}
	c.records++
	if c.records == 1 {
		c.first(rec, &l)
	} else if l.typ == "session_meta" && l.payload != nil {
		if m := readCodexMeta(&c.dec, l.payload); c.started && m.id != c.meta.id {
			c.found.add("codex-second-meta", rec.Line, "")
		}
	}
	if c.old {
		return nil
	}
	c.frame(rec, &l)
	if l.payload == nil {
		return nil
	}
	c.history.at(rec.Line, c.records-1)
	switch {
	case l.typ == "compacted":
		c.compacted(l.payload)
	case l.typ == "event_msg":
		c.event(rec, l.payload, l.inner)
	case l.typ == "response_item" || knownCodexItem(l.inner) && !knownCodexLine(l.typ):
		c.item(l.payload)
	}
	return nil
}

// first examines the first line.
func (c *codexFile) first(rec jsonl.Record, l *codexLine) {
	switch {
	case l.bare:
		c.old = true
		c.found.add("codex-old-format", rec.Line, "")
		return
	case l.typ != "session_meta" || l.payload == nil:
		c.found.add("codex-first-line", rec.Line, "")
		return
	case c.found.has("codex-malformed-line"):
		c.found.add("codex-first-line", 1, "")
	}
	c.started = true
	c.meta = readCodexMeta(&c.dec, l.payload)
	c.paged = c.meta.mode == "paginated"
	for _, name := range c.meta.wrong {
		c.found.add("codex-meta-field", rec.Line, "%s", name)
	}
	if c.meta.badMode {
		c.found.add("codex-history-mode", rec.Line, "%q", c.meta.mode)
	}
	switch {
	case c.meta.badID:
		c.found.add("codex-meta-id", rec.Line, "%q", c.meta.id)
	case c.named != "" && c.meta.id != "" && !strings.EqualFold(c.named, c.meta.id):
		c.found.add("codex-id-mismatch", rec.Line, "%s", c.meta.id)
	}
}

// frame examines what stands around the payload.
func (c *codexFile) frame(rec jsonl.Record, l *codexLine) {
	if l.stamp != jsonx.String {
		c.found.add("codex-timestamp", rec.Line, "")
	}
	if l.typ == "" || l.payload == nil || !knownCodexLine(l.typ) && knownCodexItem(l.inner) {
		c.found.add("codex-line-type", rec.Line, "")
	}
	if l.ordinal != jsonx.End && l.ordinal != jsonx.Null && !l.whole {
		c.found.add("codex-ordinal-kind", rec.Line, "")
	}
	if c.paged {
		c.ordinals.next(c.found, rec.Line, l)
	}
}

// listingLines is how far into a rollout the picker looks for a prompt.
// (Codex 0.171.0.)
const listingLines = 210

// event examines an event: what is shown on the screen.
func (c *codexFile) event(rec jsonl.Record, payload jsonx.Raw, typ string) {
	switch typ {
	case "thread_rolled_back":
		c.dec.Reset(payload)
		for name := range c.dec.Members() {
			if string(name) == "num_turns" {
				c.history.rollBack(int(c.dec.OptInt()))
			}
		}
	case "user_message", "agent_message", "item_completed":
		role, content := shown(payload)
		if role == "" || blank(jsonx.AppendUnquote(nil, content)) {
			return
		}
		c.events++
		c.lastEvent = rec.Line
		if role == "user" && c.records <= listingLines {
			c.listed = true
		}
	}
}

// judge draws the conclusions once the whole file is read.
func (c *codexFile) judge(o *Options) Share {
	if c.records == 0 {
		c.found.add("codex-empty", 0, "")
		return Share{}
	}
	if c.old {
		return Share{}
	}
	c.ordinals.end(c.found)
	c.history.end(c.found)
	switch {
	case c.items == 0 && c.events > 0:
		c.found.add("codex-no-items", c.lastEvent, "%d messages", c.events)
	case c.items > 0 && c.events == 0:
		c.found.add("codex-no-events", 0, "")
	case !c.listed:
		c.found.add("codex-listing-window", 0, "")
	}
	if !c.started {
		return Share{Chain: c.messages, All: c.messages}
	}
	switch {
	case c.meta.bound():
		c.found.add("codex-subagent", 1, "")
	case c.meta.hidden:
		c.found.add("codex-hidden-source", 1, "")
	}
	switch p := c.meta.provider; {
	case o.Fill != "" && p == "":
		c.found.add("codex-no-provider", 1, "%q is to be named", o.Fill)
	case o.Provider != "" && p != "" && p != o.Provider:
		c.found.add("codex-provider-mismatch", 1, "%q, active is %q", p, o.Provider)
	case o.Provider == "" && p != "" && p != cmp.Or(o.Fill, defaultProvider):
		c.found.add("codex-model-provider", 1, "%q", p)
	}
	return Share{Chain: c.messages, All: c.messages}
}

// defaultProvider is the one that Codex uses where nothing is configured.
const defaultProvider = "openai"

// codexOrdinals follows the numbers of a paginated thread's lines.
type codexOrdinals struct {
	begun   bool
	last    uint64
	since   uint64 // lines since the last number
	missing []int  // lines without
	ended   int    // line of the last record, if that has none
}

func (n *codexOrdinals) next(found *collector, line int, l *codexLine) {
	n.since++
	n.ended = 0
	if !l.whole {
		n.ended = line
		if l.ordinal == jsonx.End || l.ordinal == jsonx.Null {
			n.missing = append(n.missing, line)
		}
		return
	}
	want := n.last + n.since
	if !n.begun {
		want = n.since - 1
	}
	if l.number != want && !(n.begun && l.number == n.last+1) && !(!n.begun && l.number == 0) {
		found.add("codex-ordinal-gap", line, "%d instead of %d", l.number, want)
	}
	n.begun, n.last, n.since = true, l.number, 0
}

func (n *codexOrdinals) end(found *collector) {
	for _, line := range n.missing {
		if line == n.ended {
			found.add("codex-final-ordinal", line, "")
		} else {
			found.add("codex-ordinal-missing", line, "")
		}
	}
}
