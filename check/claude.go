package check

import (
	"context"
	"slices"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// claudeFile is one Claude Code session under examination.
type claudeFile struct {
	found *collector
	read  *claudeReader
	x     *claudeIndex
	file  *jsonl.File

	stem        string // of the file's name
	leaf        string // the last last-prompt's
	leafLine    int
	otherID     int    // line of the first record that names another session
	firstSide   bool   // the first line is a subagent's
	firstMain   int32  // first message of the main conversation, or -1
	messages    int    // all messages, sidechains too
	listed      bool   // the picker finds a name for it
	lateName    int64  // end of the last record that may name it in the tail
	sdk         int    // line of the first record of a run without terminal
	model       string // that answered last
	modelLine   int
	nameless    []int32 // messages without uuid
	typeless    []int   // lines of messages without type
	parentless  []int32 // messages without parentUuid
	unknownLeaf bool
}

// listingBytes is how much of a file's beginning and end the picker reads.
// (Claude Code 2.1.332.)
const listingBytes = 65536

func newClaudeFile(found *collector, f *jsonl.File, stem string) *claudeFile {
	return &claudeFile{found: found, read: newClaudeReader(), x: newClaudeIndex(), file: f, stem: stem, firstMain: -1}
}

// scan reads the file once and fills the index.
func (c *claudeFile) scan(ctx context.Context) (records int, err error) {
	l := lines{rules: lineRules{agent: agentClaude}, found: c.found, record: c.record}
	if err := l.read(ctx, c.file); err != nil {
		return 0, err
	}
	c.x.sort()
	return l.count, nil
}

// record files one record.
func (c *claudeFile) record(rec jsonl.Record, value []byte) error {
	if !isRecord(agentClaude, rec, value) {
		return errNoRecord
	}
	r, err := c.read.read(value)
	if err != nil {
		return err
	}
	if rec.Line == 1 && r.marks&markSidechain != 0 {
		c.firstSide = true
	}
	end := rec.Off + int64(len(value))
	if r.sessionID != "" && r.sessionID != c.stem && c.otherID == 0 && uuid.Valid(c.stem) {
		c.otherID = rec.Line
	}
	switch r.typ {
	case ccLastPrompt:
		if r.leaf != "" {
			c.leaf, c.leafLine = r.leaf, rec.Line
		}
		if r.prompt {
			c.lateName = end
		}
	case ccTitle:
		if r.title {
			c.listed = c.listed || end <= listingBytes
			c.lateName = end
		}
	default:
	}
	if !r.chained() {
		return nil
	}
	c.chainRecord(rec, r, len(value))
	return nil
}

// chained reports whether the record can be on a chain. Bookkeeping of types
// that are not known here has no uuid.
func (r *claudeRecord) chained() bool {
	switch r.typ {
	case ccLastPrompt, ccTitle, ccBookkeeping:
		return false
	case ccUser, ccAssistant:
		return true
	case ccNone:
		return r.uuid != 0 || r.role != ""
	default:
	}
	return r.uuid != 0
}

// chainRecord files a record that can be on a chain.
func (c *claudeFile) chainRecord(rec jsonl.Record, r *claudeRecord, size int) {
	e := claudeEntry{
		off: rec.Off, uuid: r.uuid, parent: r.parent, group: r.group, millis: r.millis, marks: r.marks,
		size: uint32(size), line: uint32(rec.Line),
	}
	if r.typ == ccBoundary {
		e.group = r.logical
	}
	ids := r.calls
	if len(ids) == 0 {
		ids = r.results
	}
	if len(ids) > 0 {
		e.call = ids[0]
	}
	if len(r.calls)+len(r.results) > 1 {
		e.marks |= markMoreCalls
	}
	i := c.x.add(r.typ, e)
	if e.marks&markMoreCalls != 0 {
		c.x.more[i] = slices.Concat(r.calls, r.results)
	}
	if len(r.derived) > 0 {
		c.x.derived[i] = slices.Clone(r.derived)
	}
	if len(r.misplaced) > 0 {
		c.x.misplaced[i] = slices.Clone(r.misplaced)
	}
	if r.marks&markPreserved != 0 {
		k := r.kept
		k.uuids = slices.Clone(k.uuids)
		c.x.kept[i] = k
	}
	c.message(i, rec, r, size)
}

// message takes note of what is said about messages of the main conversation.
func (c *claudeFile) message(i int32, rec jsonl.Record, r *claudeRecord, size int) {
	switch {
	case r.typ == ccNone && r.role != "":
		c.messages++
		if r.marks&markSidechain == 0 {
			c.typeless = append(c.typeless, rec.Line)
		}
		return
	case r.typ != ccUser && r.typ != ccAssistant:
		return
	}
	c.messages++
	if r.marks&markSidechain != 0 {
		return
	}
	if r.uuid == 0 {
		c.nameless = append(c.nameless, i)
	}
	if c.firstMain < 0 {
		c.firstMain = i
	} else if r.marks&markNoParent != 0 {
		c.parentless = append(c.parentless, i)
	}
	if r.marks&markTyped != 0 && rec.Off+int64(size) <= listingBytes {
		c.listed = true
	}
	if r.typ == ccAssistant && r.model != "" && r.model != syntheticName {
		c.model, c.modelLine = r.model, rec.Line
	}
	if r.marks&markSDK != 0 && c.sdk == 0 {
		c.sdk = rec.Line
	}
}

// judge draws the conclusions once the whole file is read.
func (c *claudeFile) judge() Share {
	if !c.conversation() {
		return Share{}
	}
	named := int32(-1)
	if c.leaf != "" {
		named = c.x.find(c.read.hash(c.leaf))
		c.unknownLeaf = named < 0
	}
	w := c.x.walk(named)
	j := &claudeJudge{claudeFile: c, w: w}
	if w.hidden {
		c.found.add("claude-sidechain-leaf", c.leafLine, "")
		return Share{}
	}
	if c.unknownLeaf {
		c.found.add("claude-unknown-last-prompt", c.leafLine, "")
	}
	seq := w.sequence()
	j.copies()
	j.members()
	j.links()
	j.branches()
	j.compaction(seq)
	j.content(seq)
	newClaudePairs(c, seq).judge()
	c.picker()
	return j.share()
}

// conversation reports whether there is one at all.
func (c *claudeFile) conversation() bool {
	for _, line := range c.typeless {
		c.found.add("claude-missing-type", line, "")
	}
	if c.firstMain >= 0 {
		return true
	}
	switch {
	case len(c.typeless) > 0:
	case c.messages > 0:
		c.found.add("claude-sidechain-only", 0, "")
	default:
		c.found.add("claude-no-messages", 0, "")
	}
	return false
}

// picker says what the client's picker makes of the file.
func (c *claudeFile) picker() {
	if c.firstSide {
		c.found.add("claude-sidechain-first", 1, "")
	}
	if c.sdk > 0 {
		c.found.add("claude-sdk-entrypoint", c.sdk, "")
	}
	if !c.listed && c.lateName < c.file.Size()-listingBytes {
		c.found.add("claude-listing-window", 0, "")
	}
	if c.otherID > 0 {
		c.found.add("claude-session-id", c.otherID, "")
	}
}
