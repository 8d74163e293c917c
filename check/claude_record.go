package check

import (
	"bytes"
	"hash/maphash"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// claudeType is what the client makes of a record's type.
type claudeType uint8

const (
	ccNone         claudeType = iota // no type
	ccOther                          // a type the client does not index
	ccUser                           //
	ccAssistant                      //
	ccAttachment                     //
	ccSystem                         //
	ccProgress                       // passed through, never a leaf
	ccBookkeeping                    // outside the chain
	ccBoundary                       // system, a compaction
	ccLastPrompt                     // names the leaf
	ccTitle                          // custom-title, ai-title
	ccFileSnapshot                   // system, never bridged to
)

// claudeMark is a bit of what is to be known of a record.
type claudeMark uint64

const (
	markSidechain claudeMark = 1 << iota
	markMeta
	markSummary
	markHasParent // the member is there and no empty string
	markNoParent  // the member is missing
	markContent   // holds a block that the client reads
	markAPIError
	markNotedError
	markMoreCalls // more calls or results than the index entry holds
	markCalls
	markResults
	markEmptyText // an empty text block
	markBlank     // a blank text that is sent
	markInput
	markCallID
	markToolName
	markForeign
	markImageType
	markImageData
	markResultInAnswer
	markCallInUser
	markUnsigned
	markPlaceholder
	markForeignSignature
	markThinking
	markThinkingLast
	markForeignThinking
	markRole
	markHasUUID
	markBroken // the content is not usable
	markTyped  // a prompt that a person typed
	markSDK
	markPreserved
)

// claudeBlockMarks are the defects of content, each with its rule.
var claudeBlockMarks = [...]struct {
	mark claudeMark
	rule string
}{
	{markBroken, "claude-no-content"},
	{markRole, "claude-wrong-role"},
	{markEmptyText, "claude-empty-text"},
	{markBlank, "claude-blank-text"},
	{markInput, "claude-input-not-object"},
	{markCallID, "claude-illegal-call-id"},
	{markToolName, "claude-illegal-tool-name"},
	{markForeign, "claude-foreign-block"},
	{markImageType, "claude-image-type"},
	{markImageData, "claude-image-data"},
	{markResultInAnswer, "claude-result-in-answer"},
	{markCallInUser, "claude-call-in-user"},
	{markUnsigned, "claude-unsigned-thinking"},
	{markPlaceholder, "claude-placeholder-signature"},
	{markForeignSignature, "claude-foreign-signature"},
	{markForeignThinking, "claude-foreign-thinking"},
}

// claudeRecord is what one line tells, without its text.
type claudeRecord struct {
	typ   claudeType
	marks claudeMark
	uuid  uint64
	// parent names the record before; logical is what a boundary stands behind.
	parent, logical uint64
	group           uint64 // message.id
	calls, results  []uint64
	misplaced       []uint64 // results in an answer, calls in a user message
	derived         []derivedID
	millis          int64 // of the timestamp; 0 without one
	role            string
	model           string
	sessionID       string
	leaf            string
	title           bool
	prompt          bool // a last-prompt record with a text
	kept            claudeKept
}

// derivedID is the id of a call together with that of the call which the client
// takes it for a part of, if there is one.
type derivedID struct{ id, base uint64 }

// claudeKept are the messages before a compaction that it keeps.
type claudeKept struct {
	head, anchor, tail uint64
	uuids              []uint64
}

// claudeReader decodes records. What it returns is valid until the next call.
type claudeReader struct {
	dec  jsonx.Decoder
	seed maphash.Seed
	rec  claudeRecord
	blk  blockScan
}

func newClaudeReader() *claudeReader { return &claudeReader{seed: maphash.MakeSeed()} }

func (c *claudeReader) hash(s string) uint64 {
	if s == "" {
		return 0
	}
	return maphash.String(c.seed, s) | 1 // 0 stands for none
}

// id reads a string and returns its hash; a value of another kind has none.
func (c *claudeReader) id() uint64 { return c.hash(c.dec.OptStr()) }

// read decodes one record.
func (c *claudeReader) read(value []byte) (*claudeRecord, error) {
	r := &c.rec
	*r = claudeRecord{calls: r.calls[:0], results: r.results[:0], misplaced: r.misplaced[:0], derived: r.derived[:0], marks: markNoParent, kept: claudeKept{uuids: r.kept.uuids[:0]}}
	d := &c.dec
	d.Reset(value)
	if d.Kind() != jsonx.Object {
		return nil, errNoRecord
	}
	var typ, subtype string
	var message, compact jsonx.Raw
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "subtype":
			subtype = d.OptStr()
		case "message":
			message = d.Raw()
		case "compactMetadata":
			compact = d.Raw()
		case "parentUuid":
			r.marks &^= markNoParent
			if d.Kind() != jsonx.Null {
				r.parent = c.parent()
			}
		case "lastPrompt":
			r.prompt = d.OptStr() != ""
		case "timestamp":
			r.millis = millis(d.OptStr())
		default:
			c.member(string(name))
		}
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	r.typ = claudeTypeOf(typ, subtype)
	if message != nil {
		c.message(message)
	}
	if compact != nil && r.typ == ccBoundary {
		c.compaction(compact)
	}
	return r, nil
}

// parent reads a parentUuid that is not null. One that is no string names no
// record, as an unknown one does; an empty one is a root. (Claude Code 2.1.332.)
func (c *claudeReader) parent() uint64 {
	if c.dec.Kind() != jsonx.String {
		raw := c.dec.Raw()
		c.rec.marks |= markHasParent
		return c.hash("\x00" + string(raw))
	}
	h := c.id()
	if h != 0 {
		c.rec.marks |= markHasParent
	}
	return h
}

func (c *claudeReader) member(name string) {
	r, d := &c.rec, &c.dec
	flag := func(m claudeMark) {
		if d.OptBool() {
			r.marks |= m
		}
	}
	switch name {
	case "uuid":
		if r.uuid = c.id(); r.uuid != 0 {
			r.marks |= markHasUUID
		}
	case "logicalParentUuid":
		r.logical = c.id()
	case "isSidechain":
		flag(markSidechain)
	case "isMeta":
		flag(markMeta)
	case "isCompactSummary":
		flag(markSummary)
	case "isApiErrorMessage":
		flag(markAPIError | markNotedError)
	case "sessionId":
		r.sessionID = d.OptStr()
	case "leafUuid":
		r.leaf = d.OptStr()
	case "customTitle", "aiTitle", "title":
		r.title = d.OptStr() != ""
	case "entrypoint":
		if e := d.OptStr(); len(e) >= 4 && e[:4] == "sdk-" {
			r.marks |= markSDK
		}
	default:
		d.Skip()
	}
}

func (c *claudeReader) compaction(raw jsonx.Raw) {
	c.dec.Reset(raw)
	k := &c.rec.kept
	for name := range c.dec.Members() {
		if string(name) != "preservedSegment" && string(name) != "preservedMessages" || c.dec.Kind() != jsonx.Object {
			continue
		}
		c.rec.marks |= markPreserved
		for name := range c.dec.Members() {
			switch string(name) {
			case "headUuid":
				k.head = c.id()
			case "anchorUuid":
				k.anchor = c.id()
			case "tailUuid":
				k.tail = c.id()
			case "uuids":
				if c.dec.Kind() != jsonx.Array {
					continue
				}
				for range c.dec.Elements() {
					k.uuids = append(k.uuids, c.id())
				}
			}
		}
	}
}

// millis returns the time of an RFC 3339 timestamp in milliseconds, or 0.
func millis(s string) int64 {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

func claudeTypeOf(typ, subtype string) claudeType {
	switch typ {
	case "":
		return ccNone
	case "user":
		return ccUser
	case "assistant":
		return ccAssistant
	case "attachment":
		return ccAttachment
	case "progress":
		return ccProgress
	case "system":
		switch subtype {
		case "compact_boundary":
			return ccBoundary
		case "file_snapshot":
			return ccFileSnapshot
		}
		return ccSystem
	case "last-prompt":
		return ccLastPrompt
	case "custom-title", "ai-title":
		return ccTitle
	case "summary", "mode", "permission-mode", "queue-operation", "file-history-snapshot", "file-history-delta":
		return ccBookkeeping
	}
	return ccOther
}

// blank reports whether s is empty or white space only.
func blank(s []byte) bool { return len(bytes.TrimSpace(s)) == 0 }
