package codex

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

// recordType is what the index keeps a record as.
type recordType uint8

const (
	recNone     recordType = iota // nothing to remember
	recItem                       // a response item
	recUserItem                   // a response item: message of the user role
	recCall
	recOutput
	recTyped   // an event that repeats what a person typed
	recAnswer  // an event that repeats the model's answer
	recCompact // a compaction
	recRollback
)

// head is what the first pass keeps of a record.
type head struct {
	typ   recordType
	call  uint64   // hash of the call id
	text  uint64   // hash of all text of a user item or event
	parts []uint64 // hashes of its text parts, if there are several
	// scaffold says that a user item holds text that the client puts in by itself.
	scaffold bool
	turns    int64 // of a rollback
	history  bool  // a compaction that carries a replacement history
	ordinal  int64 // -1 if there is none
	bare     bool  // an item without the wrapper
	long     jsonx.Extent
}

// headReader decodes heads, and collects in facts what does not belong to one
// record.
type headReader struct {
	dec  jsonx.Decoder
	seed maphash.Seed
	// h and all hash the texts of an item, without and with the labels of images.
	h, all maphash.Hash
	head   head
	facts  facts
	// typ and stamp are the wrapper's members of the current record.
	typ   string
	stamp time.Time
	// first is the beginning of the current item's text.
	first string
	// unread says that a listing could not look into the file.
	unread bool
	// saidBefore is facts.said before the current record.
	saidBefore int
}

func newHeadReader(seed maphash.Seed) *headReader {
	r := &headReader{seed: seed, facts: facts{lastOrdinal: -1}}
	r.h.SetSeed(seed)
	r.all.SetSeed(seed)
	return r
}

// again makes r read another file.
func (r *headReader) again() {
	r.facts, r.first, r.unread = facts{lastOrdinal: -1}, "", false
}

// maxOrdinal is more than a thread has records; what goes on from a greater one
// could overflow.
const maxOrdinal = 1 << 53

var errNotRecord = errors.New("not a rollout record")

// read decodes the record that data begins with into r.head. A record that
// breaks off leaves no trace.
func (r *headReader) read(rec jsonl.Record) (n int, err error) {
	r.dec.Reset(rec.Data)
	r.head = head{ordinal: -1, parts: r.head.parts[:0]}
	before := r.facts
	if r.dec.Kind() == jsonx.Object {
		n, err = r.object(rec)
	} else {
		n, err = r.other(rec)
	}
	if err != nil {
		r.facts = before
	}
	return n, err
}

// other reads a value that is no record.
func (r *headReader) other(rec jsonl.Record) (n int, err error) {
	r.dec.Skip()
	if err := r.dec.Err(); err != nil {
		return 0, err
	}
	if rec.Guess {
		return 0, errNotRecord
	}
	r.facts.unknownRecord("(not an object)")
	return r.dec.Offset(), nil
}

func (r *headReader) object(rec jsonl.Record) (n int, err error) {
	d := &r.dec
	var payload canon.Raw
	var members []string
	done := false
	r.typ, r.stamp = "", time.Time{}
	for name := range d.Members() {
		switch string(name) {
		case "type":
			r.typ = d.OptStr()
		case "timestamp":
			r.stamp = d.OptTime()
		case "ordinal":
			if d.Kind() == jsonx.Number {
				r.head.ordinal = d.OptInt()
				if r.head.ordinal <= maxOrdinal {
					r.facts.lastOrdinal = r.head.ordinal
				}
			}
		case "payload":
			if r.typ != "" && d.Kind() == jsonx.Object {
				r.payload(d) // its type stands before it, as the client writes
				done = true
			} else {
				payload = d.Raw()
			}
		default:
			members = append(members, string(name))
		}
	}
	if err := d.Err(); err != nil {
		return 0, err
	}
	n = d.Offset()
	r.head.long = d.Longest()
	if rec.Guess && payload == nil && !done {
		return 0, errNotRecord
	}
	r.facts.records++
	r.facts.time(r.stamp)
	switch {
	case done:
		r.facts.wrapped++
	case payload != nil:
		r.facts.wrapped++
		if d.Reset(payload); d.Kind() == jsonx.Object {
			r.payload(d)
		}
	default:
		r.bareRecord(rec.Data[:n], members)
	}
	return n, nil
}

// payload reads what a wrapped record holds.
func (r *headReader) payload(d *jsonx.Decoder) {
	f := &r.facts
	switch r.typ {
	case "session_meta":
		f.readMeta(d)
	case "response_item":
		r.item(d)
	case "event_msg":
		r.event(d)
	case "compacted":
		r.compacted(d)
	case "turn_context":
		f.readContext(d)
	case "world_state", "token_usage_record", "inter_agent_communication", "inter_agent_communication_metadata",
		"security_risk_score", "retained_context", "realtime_item":
	default:
		f.unknownRecord(r.typ)
	}
}

// bareRecord reads a record of the time before the wrapper: first the meta
// line, then items.
func (r *headReader) bareRecord(whole canon.Raw, members []string) {
	f := &r.facts
	has := func(name string) bool {
		for _, m := range members {
			if m == name {
				return true
			}
		}
		return false
	}
	switch {
	case has("record_type"):
	case r.typ == "" && has("id") && (has("instructions") || has("git")):
		r.dec.Reset(whole)
		f.readMeta(&r.dec)
	case r.typ == "message" && has("role"), r.typ == "reasoning", strings.HasSuffix(r.typ, "_call"), strings.HasSuffix(r.typ, "_output"):
		r.head.bare = true
		r.dec.Reset(whole)
		r.item(&r.dec)
	default:
		f.unknownRecord(r.typ)
	}
}

// item reads a response item.
func (r *headReader) item(d *jsonx.Decoder) {
	r.head.typ = recItem
	r.first = ""
	var typ, role string
	for name := range d.Members() {
		switch string(name) {
		case "type":
			typ = d.OptStr()
		case "role":
			role = d.OptStr()
		case "call_id":
			r.head.call = r.hash(d)
		case "content":
			if (typ == "" || typ == "message") && (role == "" || role == "user") {
				r.texts(d)
			}
		}
	}
	message := typ == "message" || typ == ""
	switch {
	case role == "user" && message:
		r.head.typ = recUserItem
		if !r.head.scaffold && r.facts.firstItem == "" {
			r.facts.firstItem = r.first
		}
	case strings.HasSuffix(typ, "_output"):
		r.head.typ = recOutput
	case strings.HasSuffix(typ, "_call"):
		r.head.typ = recCall
	case typ == "ghost_snapshot":
		r.head.typ = recNone
	}
	switch {
	case r.head.typ == recUserItem && !r.head.scaffold, r.head.typ == recCall, r.head.typ == recOutput,
		role == "assistant" && message, typ == "agent_message":
		r.facts.said++
	}
}

func (r *headReader) compacted(d *jsonx.Decoder) {
	r.head.typ = recCompact
	for name := range d.Members() {
		switch string(name) {
		case "replacement_history":
			r.head.history = d.Kind() == jsonx.Array
		case "message":
			if d.Kind() == jsonx.String && len(d.Literal()) > 2 {
				r.facts.said++ // a summary of what was said
			}
		}
	}
}

// texts hashes the text of a content value.
func (r *headReader) texts(d *jsonx.Decoder) {
	if d.Kind() == jsonx.String {
		text := r.decoded(d)
		r.keepFirst(text)
		if r.head.scaffold = isScaffold(text); r.head.scaffold {
			r.facts.environment(text)
		}
		r.head.text = maphash.Bytes(r.seed, text)
		return
	}
	if d.Kind() != jsonx.Array {
		d.Skip()
		return
	}
	r.h.Reset()
	r.all.Reset()
	parts, labels := r.head.parts[:0], false
	for range d.Elements() {
		if d.Kind() != jsonx.Object {
			continue
		}
		for name := range d.Members() {
			if string(name) != "text" || d.Kind() != jsonx.String {
				continue
			}
			text := r.decoded(d)
			_, _ = r.all.Write(text) // never fails
			if isImageLabel(text) {
				labels = true
				continue
			}
			r.keepFirst(text)
			_, _ = r.h.Write(text) // never fails
			if isScaffold(text) {
				r.head.scaffold = true
				r.facts.environment(text)
			}
			if r.head.typ == recTyped {
				r.facts.prompt(text)
			}
			parts = append(parts, maphash.Bytes(r.seed, text))
		}
	}
	r.head.text = r.h.Sum64()
	if labels { // somebody may have typed what reads like one
		parts = append(parts, r.all.Sum64())
	}
	r.head.parts = parts
}

// keepFirst keeps the beginning of the first text of an item that may give the
// title.
func (r *headReader) keepFirst(text []byte) {
	if r.first == "" && r.facts.firstItem == "" && r.facts.firstPrompt == "" {
		r.first = titleOf(text)
	}
}

// hash returns the hash of a string; 0 for a value of another kind.
func (r *headReader) hash(d *jsonx.Decoder) uint64 {
	if d.Kind() != jsonx.String {
		d.Skip()
		return 0
	}
	return maphash.Bytes(r.seed, r.decoded(d))
}

// decoded reads a string; the result is valid until the next read.
func (r *headReader) decoded(d *jsonx.Decoder) []byte {
	lit := d.Literal()
	if len(lit) < 2 {
		return nil
	}
	if bytes.IndexByte(lit, '\\') < 0 {
		return lit[1 : len(lit)-1]
	}
	return jsonx.AppendUnquote(nil, lit)
}
