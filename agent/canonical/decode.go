package canonical

import (
	"errors"
	"iter"
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// errNotRecord is the error for a JSON value that is neither header nor
// message.
var errNotRecord = errors.New("not a record of the canonical form")

// reader decodes lines.
type reader struct {
	dec jsonx.Decoder
	// unknown counts the members and values that were passed over.
	unknown int
}

// record is what one line holds.
type record struct {
	typ     string
	version int64
	thread  *canon.Thread
	message *canon.Message
}

// isHeader reports whether the record begins a file.
func (rec *record) isHeader() bool { return rec.version > 0 && rec.thread != nil }

// isMessage reports whether the record is a message.
func (rec *record) isMessage() bool {
	return rec.typ == messageType && rec.message != nil && rec.message.Role != ""
}

// record reads the record that data begins with, and how many bytes it takes.
func (r *reader) record(data []byte) (rec record, n int, err error) {
	d := &r.dec
	d.Reset(data)
	r.unknown = 0
	if d.Kind() != jsonx.Object {
		d.Skip()
		return rec, d.Offset(), d.Err()
	}
	for name := range d.Members() {
		switch string(name) {
		case "type":
			rec.typ = d.OptStr()
		case versionMember:
			rec.version = d.OptInt()
		case threadMember:
			if d.Kind() == jsonx.Object {
				t := r.thread(d)
				rec.thread = &t
			}
		case "message":
			if d.Kind() == jsonx.Object {
				rec.message = r.message(d)
			}
		default:
			r.unknown++
		}
	}
	return rec, d.Offset(), d.Err()
}

// message reads a message. One whose role is not known has none.
func (r *reader) message(d *jsonx.Decoder) *canon.Message {
	m := new(canon.Message)
	for name := range d.Members() {
		switch string(name) {
		case "id":
			m.ID = d.OptStr()
		case "group":
			m.Group = d.OptStr()
		case "role":
			m.Role = known(r, d, "", canon.User, canon.Assistant, canon.System)
		case "authority":
			m.Authority = known(r, d, canon.AuthorityDeveloper, canon.AuthoritySystem)
		case "kind":
			m.Kind = known(r, d, canon.Injected, canon.Summary, canon.CommandOutput, canon.HookOutput)
		case "time":
			m.Time = r.time(d)
		case "model":
			m.Model = d.OptStr()
		case "turn":
			m.Turn = d.OptStr()
		case "line":
			m.Line = int(d.OptInt())
		case "file":
			m.File = d.OptStr()
		case "usage":
			m.Usage = r.usage(d)
		case "ext":
			m.Ext = r.ext(d)
		case "blocks":
			m.Blocks = r.blocks(d)
		default:
			r.unknown++
		}
	}
	return m
}

// known reads a value of a closed set; one that is not in it reads as
// fallback.
func known[T ~string](r *reader, d *jsonx.Decoder, fallback T, set ...T) T {
	v := T(d.OptStr())
	if v == "" || v == fallback || slices.Contains(set, v) {
		return v
	}
	r.unknown++
	return fallback
}

func (r *reader) usage(d *jsonx.Decoder) *canon.Usage {
	if d.Kind() != jsonx.Object {
		r.skip(d)
		return nil
	}
	u := new(canon.Usage)
	for name := range d.Members() {
		switch string(name) {
		case "input":
			u.Input = d.OptInt()
		case "cache_read":
			u.CacheRead = d.OptInt()
		case "cache_write":
			u.CacheWrite = d.OptInt()
		case "output":
			u.Output = d.OptInt()
		case "reasoning":
			u.Reasoning = d.OptInt()
		default:
			r.unknown++
		}
	}
	return u
}

func (r *reader) ext(d *jsonx.Decoder) (e canon.Ext) {
	for name := range r.members(d) {
		switch string(name) {
		case "dialect":
			e.Dialect = d.OptStr()
		case "members":
			for range r.elements(d) {
				if m := r.member(d); m.Value != nil {
					e.Members = append(e.Members, m)
				} else {
					r.unknown++
				}
			}
		default:
			r.unknown++
		}
	}
	return e
}

func (r *reader) member(d *jsonx.Decoder) (m canon.Member) {
	for name := range r.members(d) {
		switch string(name) {
		case "name":
			m.Name = d.OptStr()
		case "json":
			m.Value = d.CleanRaw()
		case "json_text":
			m.Value, _ = r.jsonText(d)
		default:
			r.unknown++
		}
	}
	return m
}

// jsonText reads a JSON value that stands as a string. Text that is not
// well-formed is returned as such.
func (r *reader) jsonText(d *jsonx.Decoder) (canon.Raw, canon.Text) {
	t := r.text(d)
	raw := canon.Raw(t.String())
	if !raw.Valid() {
		r.unknown++
		return nil, t
	}
	raw, _ = jsonx.CleanValue(raw)
	return raw, canon.Text{}
}

// text reads a string; empty for a value of another kind.
func (r *reader) text(d *jsonx.Decoder) canon.Text {
	if d.Kind() != jsonx.String {
		r.skip(d)
		return canon.Text{}
	}
	return canon.ReadText(d)
}

// members is d.Members for an object, and passes over any other value.
func (r *reader) members(d *jsonx.Decoder) iter.Seq[[]byte] {
	if d.Kind() != jsonx.Object {
		r.skip(d)
		return func(func([]byte) bool) {}
	}
	return d.Members()
}

// elements is d.Elements for an array, and passes over any other value.
func (r *reader) elements(d *jsonx.Decoder) iter.Seq[int] {
	if d.Kind() != jsonx.Array {
		r.skip(d)
		return func(func(int) bool) {}
	}
	return d.Elements()
}

func (r *reader) skip(d *jsonx.Decoder) {
	r.unknown++
	d.Skip()
}
