package canonical

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// Encoder writes a session in the canonical form. Each line is one Write.
type Encoder struct {
	w   io.Writer
	l   line
	err error
}

// NewEncoder returns an Encoder and writes the header for t to w. An error of
// that write is returned by [Encoder.Message].
func NewEncoder(w io.Writer, t canon.Thread) *Encoder {
	e := &Encoder{w: w}
	e.l.open("", '{')
	e.l.integer(versionMember, Version)
	e.l.thread(&t)
	e.l.close('}')
	e.flush("header")
	return e
}

// Message writes m. After an error every call returns it.
func (e *Encoder) Message(m *canon.Message) error {
	if e.err != nil {
		return e.err
	}
	e.l.open("", '{')
	e.l.text("type", messageType)
	e.l.message(m)
	e.l.close('}')
	what := "message"
	if where := m.Where(); where != "" {
		what += " of " + where
	}
	e.flush(what)
	return e.err
}

func (e *Encoder) flush(what string) {
	buf := append(e.l.buf, '\n')
	err := e.l.err
	e.l = line{buf: buf[:0]}
	if err == nil {
		_, err = e.w.Write(buf)
	}
	if err != nil {
		e.err = fmt.Errorf("write %s: %w", what, err)
	}
}

// line is a line in the making. Members with the zero value are left out.
type line struct {
	buf []byte
	err error
}

func (l *line) message(m *canon.Message) {
	l.open("message", '{')
	l.text("id", m.ID)
	l.text("group", m.Group)
	l.text("role", string(m.Role))
	l.text("authority", string(m.Authority))
	l.text("kind", string(m.Kind))
	l.time("time", m.Time)
	l.text("model", m.Model)
	l.text("turn", m.Turn)
	l.optional("line", int64(m.Line))
	l.text("file", m.File)
	if u := m.Usage; u != nil {
		l.open("usage", '{')
		l.integer("input", u.Input)
		l.optional("cache_read", u.CacheRead)
		l.optional("cache_write", u.CacheWrite)
		l.integer("output", u.Output)
		l.optional("reasoning", u.Reasoning)
		l.close('}')
	}
	l.ext(&m.Ext)
	l.blocks("blocks", m.Blocks)
	l.close('}')
}

func (l *line) blocks(name string, blocks []canon.Block) {
	l.open(name, '[')
	for _, b := range blocks {
		l.open("", '{')
		l.block(b)
		l.close('}')
	}
	l.close(']')
}

func (l *line) block(b canon.Block) {
	l.text("type", string(b.Kind()))
	switch b := b.(type) {
	case *canon.TextBlock:
		l.literal("text", b.Text)
	case *canon.ImageBlock:
		l.media(&b.Media)
	case *canon.DocumentBlock:
		l.media(&b.Media)
	case *canon.ReasoningBlock:
		l.literal("text", b.Text)
		if len(b.Summary) > 0 {
			l.open("summary", '[')
			for _, s := range b.Summary {
				l.comma()
				l.buf = s.AppendQuoted(l.buf)
			}
			l.close(']')
		}
		l.capsule(&b.Capsule)
		l.flag("redacted", b.Redacted)
	case *canon.ToolCallBlock:
		l.text("call_id", b.CallID)
		l.text("name", b.Name)
		l.text("namespace", b.Namespace)
		l.text("call", string(b.Call))
		l.input(&b.Input)
	case *canon.ToolResultBlock:
		l.text("call_id", b.CallID)
		l.text("call", string(b.Call))
		l.flag("is_error", b.IsError)
		l.blocks("content", b.Content)
	case *canon.CompactionBlock:
		l.capsule(&b.Capsule)
	case *canon.OpaqueBlock:
		l.text("dialect", b.Dialect)
		l.text("native_type", b.Type)
		if !b.Words.IsEmpty() {
			l.literal("text", b.Words)
		}
		l.json(b.Raw)
	}
	meta := b.Meta()
	l.text("item_id", meta.ItemID)
	l.text("tag", meta.Tag)
	l.flag("synthesized", meta.Synthesized)
	l.ext(&meta.Ext)
}

func (l *line) media(m *canon.Media) {
	l.text("media_type", m.MediaType)
	l.text("name", m.Name)
	l.literal("data", m.Data)
	l.literal("url", m.URL)
	l.literal("plain", m.Plain)
}

func (l *line) capsule(c *canon.Capsule) {
	if c.Issuer == "" && c.Sealed.IsEmpty() {
		return
	}
	l.open("capsule", '{')
	l.text("issuer", c.Issuer)
	l.literal("sealed", c.Sealed)
	l.close('}')
}

func (l *line) input(in *canon.Input) {
	if len(in.JSON) == 0 && in.Text.IsEmpty() {
		return
	}
	l.open("input", '{')
	l.json(in.JSON)
	l.literal("text", in.Text)
	l.close('}')
}

func (l *line) ext(e *canon.Ext) {
	if e.Dialect == "" && len(e.Members) == 0 {
		return
	}
	l.open("ext", '{')
	l.text("dialect", e.Dialect)
	l.open("members", '[')
	for _, m := range e.Members {
		l.open("", '{')
		l.text("name", m.Name)
		l.json(m.Value)
		l.close('}')
	}
	l.close(']')
	l.close('}')
}

// json appends raw as the member json, or json_text where it would not come
// back as it is.
func (l *line) json(raw canon.Raw) {
	switch {
	case len(raw) == 0:
	case !raw.Valid():
		if l.err == nil {
			l.err = fmt.Errorf("%.40q is not well-formed JSON", raw)
		}
	case inLine(raw):
		l.name("json")
		l.buf = append(l.buf, raw...)
	default:
		l.text("json_text", string(raw))
	}
}

// inLine reports whether a value that stands in a line comes back as it is.
func inLine(raw canon.Raw) bool {
	return !bytes.ContainsAny(raw, "\r\n") && !blank(raw[0]) && !blank(raw[len(raw)-1])
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// time appends t in its own zone. RFC 3339 has neither seconds in a zone's
// offset nor years of five digits.
func (l *line) time(name string, t time.Time) {
	if t.IsZero() {
		return
	}
	if _, offset := t.Zone(); offset%60 != 0 {
		t = t.UTC()
	}
	stamp, err := t.MarshalText()
	if err != nil {
		if stamp, err = t.UTC().MarshalText(); err != nil {
			l.err = err
			return
		}
	}
	l.text(name, string(stamp))
}

// text appends a string member.
func (l *line) text(name, value string) {
	if value != "" {
		l.name(name)
		l.buf = jsonx.AppendQuote(l.buf, value)
	}
}

// literal appends a text in the escaping it was read in.
func (l *line) literal(name string, t canon.Text) {
	if !t.IsEmpty() {
		l.name(name)
		l.buf = t.AppendQuoted(l.buf)
	}
}

func (l *line) flag(name string, v bool) {
	if v {
		l.name(name)
		l.buf = append(l.buf, "true"...)
	}
}

func (l *line) optional(name string, n int64) {
	if n != 0 {
		l.integer(name, n)
	}
}

func (l *line) integer(name string, n int64) {
	l.name(name)
	l.buf = strconv.AppendInt(l.buf, n, 10)
}

// open begins an object or array, as a member if it has a name.
func (l *line) open(name string, bracket byte) {
	if name != "" {
		l.name(name)
	} else {
		l.comma()
	}
	l.buf = append(l.buf, bracket)
}

func (l *line) close(bracket byte) { l.buf = append(l.buf, bracket) }

func (l *line) name(name string) {
	l.comma()
	l.buf = append(l.buf, '"')
	l.buf = append(l.buf, name...)
	l.buf = append(l.buf, `":`...)
}

func (l *line) comma() {
	if n := len(l.buf); n > 0 {
		if c := l.buf[n-1]; c != '{' && c != '[' && c != ':' {
			l.buf = append(l.buf, ',')
		}
	}
}
