package transcript

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// TextOptions are the choices of [Text]. The zero value is readable.
type TextOptions struct {
	// Width is the number of columns; 0 is 80.
	Width int
	// Style colours the text; the zero Style does not.
	Style Style
	// Tail shows the last turns of that number only; 0 shows all.
	Tail int
	// Lines is how many lines of a tool's result, or of what a client put in,
	// are shown; 0 is 8.
	Lines int
	// Full shows results and the inputs of calls whole.
	Full bool
	// SkipReasoning leaves reasoning out and counts it, as is always done with
	// what only the vendor can read.
	SkipReasoning bool
	// Scaffolding shows what the client puts in by itself, which is left out
	// and counted otherwise.
	Scaffolding bool
	// Location is where the times are told; nil is the local one.
	Location *time.Location
}

const (
	defaultWidth = 80
	defaultLines = 8
	minWidth     = 20
)

// gutter stands before the rows of results and what else is beside the
// conversation. The first column is ours: what is said begins in the third, so
// that no text can look like a head, a call or a result.
const gutter = "| "

// Text writes the session t with msgs for a terminal. After an error of msgs it
// has written what came before.
func Text(w io.Writer, t canon.Thread, msgs canon.Messages, o TextOptions) error {
	if o.Width == 0 {
		o.Width = defaultWidth
	}
	if o.Lines <= 0 {
		o.Lines = defaultLines
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	o.Width = max(o.Width, minWidth)
	b := bufio.NewWriter(w)
	p := printer{o: o}
	out := tail{w: b, n: o.Tail, limit: maxTail}
	p.header(&t)
	if _, err := b.Write(p.buf.Bytes()); err != nil {
		return err
	}
	p.buf.Reset()
	failed := p.messages(msgs, &out)
	if err := out.end(); err != nil {
		return err
	}
	p.footer(out.hidden)
	if _, err := b.Write(p.buf.Bytes()); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return failed
}

// printer lays messages out in rows.
type printer struct {
	o      TextOptions
	buf    bytes.Buffer
	reader reader
	head   head
	// last is what was printed last; fresh says that nothing was since the head.
	last   itemKind
	fresh  bool
	hidden hidden
}

func (p *printer) messages(msgs canon.Messages, out *tail) error {
	for m, err := range msgs {
		if err != nil {
			return err
		}
		starts := m.StartsTurn()
		p.message(m, starts)
		if err := out.add(starts, p.buf.Bytes(), p.hidden); err != nil {
			return err
		}
		p.buf.Reset()
		p.hidden = hidden{}
	}
	return nil
}

func (p *printer) header(t *canon.Thread) {
	p.buf.WriteString(string(p.o.Style.paint(p.o.Style.Title, clip(title(t), p.o.Width))) + "\n")
	for _, f := range fields(t, p.o.Location) {
		label := "  " + f.Name + shown(strings.Repeat(" ", max(1, 11-len(f.Name))))
		p.labelled(label, f.Value)
	}
}

// labelled prints a value behind its label, and its further rows below it.
func (p *printer) labelled(label, value shown) {
	w := wrap(value, p.o.Width-len(label))
	for row, ok := w.next(); ok; row, ok = w.next() {
		p.buf.WriteString(string(p.o.Style.paint(p.o.Style.Dim, label) + row + "\n"))
		label = shown(strings.Repeat(" ", len(label)))
	}
}

func (p *printer) footer(h hidden) {
	if note := h.note(); note != "" {
		p.buf.WriteByte('\n')
		p.rows("", p.o.Style.Dim, "("+note+")", 0)
	}
}

// message prints m. Results follow their calls without a head of their own.
func (p *printer) message(m *canon.Message, starts bool) {
	if starts {
		p.head = head{}
	}
	limit := 0
	if isAside(m) && !p.o.Full {
		limit = p.o.Lines
	}
	for _, b := range m.Blocks {
		it := p.reader.item(b)
		switch {
		case it.tag != "" && !p.o.Scaffolding:
			p.hidden.scaffolding++
			continue
		case it.isSealed(), it.kind == itemReasoning && p.o.SkipReasoning:
			p.hidden.reasoning++
			continue
		}
		if it.kind != itemResult && it.kind != itemMark {
			p.heading(m, starts)
			starts = false
		}
		p.item(&it, limit)
	}
}

// heading prints the head of m, unless it is that of what stands above.
func (p *printer) heading(m *canon.Message, dated bool) {
	h := headOf(m)
	if h == p.head {
		return
	}
	p.head, p.fresh = h, true
	style := p.o.Style.System
	switch m.Role {
	case canon.User:
		style = p.o.Style.User
	case canon.Assistant:
		style = p.o.Style.Assistant
	case canon.System:
	}
	var rest shown
	if !m.Time.IsZero() {
		layout := time.TimeOnly
		if dated {
			layout = time.DateTime
		}
		rest += "  " + shown(m.Time.In(p.o.Location).Format(layout))
	}
	if h.model != "" {
		rest += "  " + h.model
	}
	who := clip(h.who, p.o.Width)
	rest = clip(rest, p.o.Width-total(who))
	p.buf.WriteString(string("\n" + p.o.Style.paint(style, who) + p.o.Style.paint(p.o.Style.Dim, rest) + "\n"))
}

// item prints one item. limit is how many rows of text to print; 0 is all.
func (p *printer) item(it *item, limit int) {
	if p.gap(it.kind) {
		p.buf.WriteByte('\n')
	}
	p.last, p.fresh = it.kind, false
	s := &p.o.Style
	if it.tag != "" {
		p.rows("", s.Dim, "["+it.tag+"]", 0)
		p.rows(gutter, s.Dim, it.text, p.limit())
		return
	}
	switch it.kind {
	case itemText:
		p.rows("  ", "", it.text, limit)
	case itemReasoning:
		p.rows("", s.Dim, "[reasoning]", 0)
		p.rows(gutter, s.Dim, it.text, limit)
	case itemCall:
		p.call(it)
	case itemResult:
		p.result(it)
	case itemImage, itemNote:
		p.rows("", s.Dim, "["+it.name+"]", 0)
		if it.text != "" {
			p.rows(gutter, "", it.text, p.limit())
		}
	case itemMark:
		p.head = head{}
		p.rows("", s.Dim, "=== "+it.name+" ===", 0)
	}
}

// gap reports whether a blank row goes before an item: not below a head, and
// calls and results stand together.
func (p *printer) gap(k itemKind) bool {
	if p.fresh {
		return false
	}
	together := func(k itemKind) bool { return k == itemCall || k == itemResult }
	return !together(k) || !together(p.last)
}

// limit is how many rows are printed of what need not be read whole.
func (p *printer) limit() int {
	if p.o.Full {
		return 0
	}
	return p.o.Lines
}

func (p *printer) call(it *item) {
	s := &p.o.Style
	name := clip(it.name, p.o.Width-2)
	row := "> " + s.paint(s.Tool, name)
	if arg := clip(it.arg, p.o.Width-4-total(name)); arg != "" && !p.o.Full {
		row += "  " + arg
	}
	p.buf.WriteString(string(row + "\n"))
	if !p.o.Full {
		return
	}
	for _, f := range inputFields(it.input) {
		switch {
		case f.Name == "":
			p.rows("    ", "", f.Value, 0)
		case f.Value.lines() <= 1:
			p.rows("    ", "", f.Name+": "+f.Value, 0)
		default:
			p.rows("    ", "", f.Name+":", 0)
			p.rows("      ", "", f.Value, 0)
		}
	}
}

func (p *printer) result(it *item) {
	s := &p.o.Style
	style := s.Dim
	if it.failed {
		style = s.Failed
	}
	if label := it.label(); label != "" {
		p.rows("< ", style, label, 0)
	}
	for i := range it.parts {
		part := &it.parts[i]
		if part.kind != itemText {
			p.rows(gutter, s.Dim, "["+part.name+"]", 0)
		}
		if part.text != "" || part.kind == itemText {
			p.rows(gutter, style, part.text, p.limit())
		}
	}
}

// rows prints text in rows behind indent: all of them, or limit and how much
// more there is. A single further row is printed rather than counted.
func (p *printer) rows(indent shown, style string, text shown, limit int) {
	s := &p.o.Style
	w := wrap(shown(strings.TrimRight(string(text), "\n")), p.o.Width-len(indent))
	for n := 1; ; n++ {
		more := ""
		if limit > 0 && n == limit+1 && !w.done {
			more = string(w.left())
		}
		row, ok := w.next()
		if !ok {
			return
		}
		if more != "" && !w.done {
			p.buf.WriteString(string(s.paint(s.Dim, indent+"… "+shown(more)) + "\n"))
			return
		}
		line := indent + row
		if style != "" {
			line = s.paint(style, line)
		}
		p.buf.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
}
