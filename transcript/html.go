package transcript

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
)

//go:embed page.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

// HTML writes the session t with msgs as one page that stands alone: it has no
// script and no address of anything outside itself, and its policy forbids both
// to the browser. Calls, results, reasoning and scaffolding are folded. After an
// error of msgs the page is complete with what came before.
func HTML(w io.Writer, t canon.Thread, msgs canon.Messages) error {
	tmpl, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	p := page{w: b, tmpl: tmpl}
	p.top(&t)
	failed := p.messages(msgs)
	p.bottom(failed != nil)
	if p.err == nil {
		p.err = b.Flush()
	}
	if p.err != nil {
		return p.err
	}
	return failed
}

// page executes one small template after another.
type page struct {
	w      io.Writer
	tmpl   *template.Template
	err    error
	reader reader
	head   head
	open   bool // an article is
	turns  int
	count  int
	hidden hidden
}

func (p *page) execute(name string, data any) {
	if p.err == nil {
		p.err = p.tmpl.ExecuteTemplate(p.w, name, data)
	}
}

func (p *page) top(t *canon.Thread) {
	sum := sha256.Sum256([]byte(pageStyle))
	p.execute("top", struct {
		Title  shown
		Fields []field
		Style  template.CSS
		Policy string
	}{
		title(t), fields(t, time.UTC), template.CSS(pageStyle),
		"default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
	})
}

func (p *page) bottom(broken bool) {
	p.closeArticle()
	lines := []shown{count(p.turns, "turn", "turns") + ", " + count(p.count, "message", "messages") + ". Times are UTC."}
	if note := p.hidden.note(); note != "" {
		lines = append(lines, note+": the session does not hold their text.")
	}
	if broken {
		lines = append([]shown{"The session could not be read further."}, lines...)
	}
	p.execute("bottom", lines)
}

func (p *page) messages(msgs canon.Messages) error {
	for m, err := range msgs {
		if err != nil {
			return err
		}
		p.message(m)
		if p.err != nil {
			return nil // HTML returns it
		}
	}
	return nil
}

func (p *page) message(m *canon.Message) {
	p.count++
	starts := m.StartsTurn()
	if starts {
		p.turns++
		p.head = head{}
	}
	for _, b := range m.Blocks {
		it := p.reader.item(b)
		switch {
		case it.tag != "" && it.text == "":
			p.hidden.scaffolding++
			continue
		case it.isSealed():
			p.hidden.reasoning++
			continue
		case it.kind == itemMark:
			p.closeArticle()
			p.execute("mark", struct{ Name shown }{it.name})
			continue
		}
		// Results follow their calls, and scaffolding what it was put in for.
		if !p.open || it.kind != itemResult && it.tag == "" {
			p.heading(m, starts)
			starts = false
		}
		p.item(&it, isAside(m))
	}
}

// heading begins an article, unless the open one has the head of m.
func (p *page) heading(m *canon.Message, starts bool) {
	h := headOf(m)
	if p.open && h == p.head {
		return
	}
	p.closeArticle()
	p.head, p.open = h, true
	data := struct {
		Class             string
		Turn              int
		Top               bool
		Who, Model, Clock shown
		Time              string
	}{Class: classOf(m.Role), Top: starts || p.turns == 0, Who: h.who, Model: h.model}
	if starts {
		data.Class += " prompt"
		data.Turn = p.turns
	}
	if !m.Time.IsZero() {
		t := m.Time.UTC()
		data.Time, data.Clock = t.Format(time.RFC3339), shown(t.Format(time.TimeOnly))
		if starts {
			data.Clock = shown(t.Format(time.DateTime))
		}
	}
	p.execute("open", data)
}

// classOf names the colour of a role: a role comes from the session.
func classOf(r canon.Role) string {
	switch r {
	case canon.User:
		return "user"
	case canon.Assistant:
		return "assistant"
	case canon.System:
	}
	return "system"
}

func (p *page) closeArticle() {
	if p.open {
		p.execute("close", nil)
	}
	p.open, p.head = false, head{}
}

// folded is a text behind its label.
type folded struct {
	Class string
	Label shown
	Text  []segment
}

// longAside is how many lines of what was not said by anyone are not folded.
const longAside = 6

func (p *page) item(it *item, aside bool) {
	switch {
	case it.tag != "":
		p.execute("folded", folded{"scaffolding", "scaffolding: " + it.tag, segments(it.text)})
		return
	case it.kind == itemText && aside && it.text.lines() > longAside:
		p.execute("folded", folded{"aside", firstLine(string(it.text)), segments(it.text)})
		return
	}
	switch it.kind {
	case itemText:
		p.execute("text", segments(it.text))
	case itemReasoning:
		p.execute("folded", folded{"reasoning", "reasoning", segments(it.text)})
	case itemCall:
		p.execute("call", struct {
			Name, Arg shown
			Fields    []field
		}{it.name, it.arg, inputFields(it.input)})
	case itemResult:
		p.execute("result", resultData(it))
	case itemImage:
		if d := partOf(it); d.Image != "" {
			p.execute("image", d)
		} else {
			p.execute("note", d)
		}
	case itemNote:
		p.execute("note", partOf(it))
	case itemMark: // drawn between articles
	}
}

// part is a piece of a result, or an item that is named.
type part struct {
	Name, Text shown
	Image      template.URL
}

func partOf(it *item) part {
	d := part{Name: it.name, Text: it.text}
	if it.media != nil && it.kind == itemImage {
		d.Image, _ = inlineImage(it.media)
	}
	return d
}

type result struct {
	Failed bool
	Label  shown
	Parts  []part
}

func resultData(it *item) result {
	d := result{Failed: it.failed, Label: "result"}
	if it.failed {
		d.Label = "error"
	}
	if it.beside && it.name != "" {
		d.Label += " of " + it.name
	}
	lines := 0
	for i := range it.parts {
		d.Parts = append(d.Parts, partOf(&it.parts[i]))
		lines += it.parts[i].text.lines()
	}
	switch {
	case lines == 1 && len(d.Parts) == 1:
		d.Label += ": " + firstLine(string(d.Parts[0].Text))
	case lines > 0:
		d.Label += ", " + count(lines, "line", "lines")
	case len(d.Parts) > 0:
		d.Label += ": " + d.Parts[0].Name
	default:
		d.Label += ": none"
	}
	return d
}
