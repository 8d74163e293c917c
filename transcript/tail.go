package transcript

import (
	"bytes"
	"io"
)

// maxTail bounds the text that is kept of the last turns, in bytes.
const maxTail = 32 << 20

// hidden counts what was left out.
type hidden struct{ scaffolding, reasoning int }

func (h *hidden) add(o hidden) {
	h.scaffolding += o.scaffolding
	h.reasoning += o.reasoning
}

// note says what was left out; "" if nothing was.
func (h *hidden) note() shown {
	scaffolding := count(h.scaffolding, "piece of scaffolding", "pieces of scaffolding")
	reasoning := count(h.reasoning, "piece of reasoning", "pieces of reasoning")
	switch {
	case h.scaffolding > 0 && h.reasoning > 0:
		return scaffolding + " and " + reasoning + " not shown"
	case h.scaffolding > 0:
		return scaffolding + " not shown"
	case h.reasoning > 0:
		return reasoning + " not shown"
	}
	return ""
}

// tail passes text on, or keeps that of the last n turns until the end.
type tail struct {
	w     io.Writer
	n     int // 0 passes everything on
	limit int

	turns   []turn // the kept ones, oldest first
	size    int
	dropped int  // turns that were kept no longer
	cut     bool // the oldest kept turn lacks its beginning
	hidden  hidden
}

// turn is the text of one turn, or of what stands before the first.
type turn struct {
	text   []byte
	hidden hidden
	prompt bool
}

// add takes the text of one message. starts says that it begins a turn.
func (t *tail) add(starts bool, text []byte, h hidden) error {
	if t.n <= 0 {
		t.hidden.add(h)
		_, err := t.w.Write(text)
		return err
	}
	if starts || len(t.turns) == 0 {
		t.turns = append(t.turns, turn{prompt: starts})
		if len(t.turns) > t.n {
			t.drop()
		}
	}
	last := &t.turns[len(t.turns)-1]
	last.text = append(last.text, text...)
	last.hidden.add(h)
	t.size += len(text)
	for t.size > t.limit && len(t.turns) > 1 {
		t.drop()
	}
	if t.size > t.limit {
		t.shorten()
	}
	return nil
}

// drop lets the oldest turn go.
func (t *tail) drop() {
	if t.turns[0].prompt {
		t.dropped++
	}
	t.size -= len(t.turns[0].text)
	t.turns[0] = turn{}
	t.turns = t.turns[1:]
	t.cut = false
}

// shorten lets the first half of the only turn go, in whole lines.
func (t *tail) shorten() {
	text := t.turns[0].text
	from := len(text) / 2
	if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
		from += i + 1
	}
	t.turns[0].text = append([]byte(nil), text[from:]...)
	t.size = len(t.turns[0].text)
	t.cut = true
}

// end passes on what is kept.
func (t *tail) end() error {
	if t.n <= 0 {
		return nil
	}
	var notes shown
	if t.dropped > 0 {
		notes += "… " + count(t.dropped, "earlier turn", "earlier turns") + " not shown\n"
	}
	if t.cut {
		notes += "… the beginning of this turn is not shown: it is too long\n"
	}
	if notes != "" {
		if _, err := io.WriteString(t.w, string("\n"+notes)); err != nil {
			return err
		}
	}
	for _, turn := range t.turns {
		t.hidden.add(turn.hidden)
		if _, err := t.w.Write(turn.text); err != nil {
			return err
		}
	}
	return nil
}
