package claude

import (
	"bytes"
	"errors"
	"hash/maphash"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// recordType is what the tree walk needs to know of a record's type.
type recordType uint8

const (
	recOther recordType = iota // in the chain, passed through
	recUser
	recAssistant
	recAttachment
	recBoundary // system/compact_boundary
)

// flags of an index entry.
type flags uint16

const (
	flagSidechain flags = 1 << iota
	flagMeta
	flagSummary // a user record that stands for what was compacted
	flagResult  // holds a tool result
	flagCall    // holds a tool call
	flagAPIError
	flagMoreCalls // more calls or results than the entry holds
	flagQueued    // an attachment that holds text typed while the agent was busy
	flagHasParent // the parent was not null
	flagReplaced  // a later record has the same uuid
	flagProvider  // holds a call of a tool that the provider ran, or its result
	flagUnknown   // of a type that nobody knows
)

// head is what the first pass keeps of a record.
type head struct {
	typ          recordType
	flags        flags
	uuid, parent uint64
	group        uint64 // message.id; of a boundary its logicalParentUuid
	calls        []uint64
	content      uint64 // hash of message.content as written
	typeName     string // as written, unless it is known
	preserved    *preserved
	typed        string // head of the first text of a user record
	time         time.Time
	// scaffold says that a text of it is what the client puts in by itself; known
	// once there was a prompt.
	scaffold bool
}

// preserved names records before a compaction that the model still sees.
type preserved struct {
	head, tail uint64
	uuids      []uint64
}

// headReader decodes heads. What does not belong to one record, such as titles,
// it collects in facts.
type headReader struct {
	dec   jsonx.Decoder
	seed  maphash.Seed
	facts facts
	head  head
	side  side
	// listing says that side.uuid is wanted.
	listing bool
}

// side is what a record says beside the chain.
type side struct {
	cwd, version, branch, sessionID, agentID string
	model, entrypoint                        string
	customTitle, aiTitle, title, summary     string
	leaf                                     string
	asked                                    string // in which session, of a fork's record
	link                                     link
	line                                     int
	isParts, isChainType, isBoundary         bool
	uuid                                     string // in a listing
}

// errNotRecord is the error for a JSON value that is no record.
var errNotRecord = errors.New("not a session record")

// read decodes the record that data begins with. The result is in h.head and
// h.side, valid until the next call.
func (h *headReader) read(rec jsonl.Record) (n int, err error) {
	d := &h.dec
	d.Reset(rec.Data)
	h.head = head{calls: h.head.calls[:0]}
	h.side = side{line: rec.Line}
	if d.Kind() != jsonx.Object {
		d.Skip()
		if err := d.Err(); err != nil {
			return 0, err
		}
		if rec.Guess {
			return 0, errNotRecord
		}
		h.head.typeName = "(not an object)"
		return d.Offset(), nil
	}
	for name := range d.Members() {
		h.member(d, name)
	}
	if err := d.Err(); err != nil {
		return 0, err
	}
	if h.side.isBoundary && h.head.typeName == "system" {
		h.head.typ = recBoundary
	}
	if rec.Guess && h.head.uuid == 0 && h.side.sessionID == "" && h.side.leaf == "" {
		return 0, errNotRecord
	}
	return d.Offset(), nil
}

func (h *headReader) member(d *jsonx.Decoder, name []byte) {
	switch string(name) {
	case "type":
		h.setType(d.OptStr())
	case "subtype":
		h.side.isBoundary = d.OptStr() == "compact_boundary"
	case "uuid":
		if !h.listing {
			h.head.uuid = h.hash(d)
		} else if h.side.uuid = d.OptStr(); h.side.uuid != "" {
			h.head.uuid = h.hashString(h.side.uuid)
		}
	case "parentUuid":
		h.head.parent = h.hash(d)
		if h.head.parent != 0 {
			h.head.flags |= flagHasParent
		}
	case "logicalParentUuid":
		h.head.group = h.hash(d)
	case "isSidechain":
		h.flag(d, flagSidechain)
	case "isMeta":
		h.flag(d, flagMeta)
	case "isCompactSummary":
		h.flag(d, flagSummary)
	case "isApiErrorMessage":
		h.flag(d, flagAPIError)
	case "timestamp":
		h.head.time = d.OptTime()
	case "message":
		h.message(d)
	case "attachment":
		h.attachment(d)
	case "compactMetadata":
		h.compact(d)
	default:
		h.aside(d, name)
	}
}

// aside reads what does not concern the chain.
func (h *headReader) aside(d *jsonx.Decoder, name []byte) {
	s := &h.side
	switch string(name) {
	case "cwd":
		s.cwd = d.OptStr()
	case "version":
		s.version = d.OptStr()
	case "gitBranch":
		s.branch = d.OptStr()
	case "sessionId":
		s.sessionID = d.OptStr()
	case "entrypoint":
		s.entrypoint = d.OptStr()
	case "agentId":
		s.agentID = d.OptStr()
	case "customTitle":
		s.customTitle = d.OptStr()
	case "aiTitle":
		s.aiTitle = d.OptStr()
	case "title":
		s.title = d.OptStr()
	case "summary":
		s.summary = d.OptStr()
	case "leafUuid":
		s.leaf = d.OptStr()
	case "requestSessionId":
		s.asked = d.OptStr()
	case linkField:
		s.link = readLink(d)
	}
}

func (h *headReader) setType(t string) {
	switch t {
	case "user":
		h.head.typ = recUser
	case "assistant":
		h.head.typ = recAssistant
	case "attachment":
		h.head.typ = recAttachment
	default:
		h.head.typeName = strings.Clone(t)
		return
	}
	h.side.isChainType = true
}

func (h *headReader) flag(d *jsonx.Decoder, f flags) {
	if d.OptBool() {
		h.head.flags |= f
	}
}

// hash returns the hash of a string value; 0 for null and other kinds.
func (h *headReader) hash(d *jsonx.Decoder) uint64 {
	if d.Kind() != jsonx.String {
		d.Skip()
		return 0
	}
	lit := d.Literal()
	if lit == nil {
		return 0
	}
	id := lit[1 : len(lit)-1]
	if bytes.IndexByte(id, '\\') >= 0 {
		id = jsonx.AppendUnquote(nil, lit)
	}
	return maphash.Bytes(h.seed, id)
}

// hashString returns what hash returns for a literal of s.
func (h *headReader) hashString(s string) uint64 { return maphash.String(h.seed, s) }

func (h *headReader) message(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object { // one public file has bare text here
		at := d.Next()
		h.typedText(d)
		h.head.content = maphash.Bytes(h.seed, d.Slice(at))
		return
	}
	for name := range d.Members() {
		switch string(name) {
		case "id":
			if id := h.hash(d); id != 0 {
				h.head.group = id
			}
		case "model":
			h.side.model = d.OptStr()
		case "parts":
			h.side.isParts = true
		case "content":
			at := d.Next()
			h.content(d)
			h.head.content = maphash.Bytes(h.seed, d.Slice(at))
		}
	}
}

// titleBytes is how much of a first prompt is kept for a title.
const titleBytes = 512

func (h *headReader) content(d *jsonx.Decoder) {
	switch d.Kind() {
	case jsonx.String:
		h.typedText(d)
	case jsonx.Array:
		for range d.Elements() {
			if d.Kind() != jsonx.Object {
				continue
			}
			h.block(d)
		}
	default:
		d.Skip()
	}
}

func (h *headReader) block(d *jsonx.Decoder) {
	var id uint64
	var is flags
	for name := range d.Members() {
		switch string(name) {
		case "type":
			switch lit := d.Raw(); string(lit) {
			case `"tool_use"`:
				is = flagCall
			case `"tool_result"`:
				is = flagResult
			}
		case "id", "tool_use_id":
			if v := h.hash(d); v != 0 {
				id = v
			}
		case "text":
			h.typedText(d)
		}
	}
	h.head.flags |= is
	if id != 0 && is != 0 {
		h.head.calls = append(h.head.calls, id)
	}
}

// typedText keeps the beginning of the first text that may be a title.
func (h *headReader) typedText(d *jsonx.Decoder) {
	if d.Kind() != jsonx.String || h.head.typed != "" && scaffoldTag(canon.NewText(h.head.typed)) == "" {
		d.Skip()
		return
	}
	if h.facts.firstPrompt != "" {
		raw := d.Raw()
		h.head.scaffold = h.head.scaffold || isScaffold(raw)
		return
	}
	lit := d.Literal()
	if lit == nil {
		return
	}
	h.head.typed = string(jsonx.AppendUnescapeHead(nil, string(lit[1:len(lit)-1]), titleBytes))
}

// isScaffold reports whether the text of a string literal is what the client
// puts in by itself.
func isScaffold(lit []byte) bool {
	if len(lit) < 2 {
		return false
	}
	switch lit[1] {
	case '<', '\\', ' ':
		head := jsonx.AppendUnescapeHead(nil, string(lit[1:min(len(lit)-1, titleBytes)]), titleBytes)
		return scaffoldTag(canon.NewText(string(head))) != ""
	}
	return false
}

func (h *headReader) attachment(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	var typ, mode string
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "commandMode":
			mode = d.OptStr()
		}
	}
	if typ == "queued_command" && mode != "task-notification" {
		h.head.flags |= flagQueued
	}
	h.head.typeName = typ
}

func (h *headReader) compact(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		if n := string(name); n != "preservedSegment" && n != "preservedMessages" || d.Kind() != jsonx.Object {
			continue
		}
		p := new(preserved)
		for member := range d.Members() {
			switch string(member) {
			case "headUuid":
				p.head = h.hash(d)
			case "tailUuid":
				p.tail = h.hash(d)
			case "uuids":
				if d.Kind() == jsonx.Array {
					for range d.Elements() {
						p.uuids = append(p.uuids, h.hash(d))
					}
				}
			}
		}
		h.head.preserved = p
	}
}
