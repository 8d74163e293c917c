package chat

import (
	"bytes"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// The tags between which models think whose server does not part that from the
// answer.
const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
	space      = " \t\r\n"
)

// thinker parts an answer's text from the reasoning that it begins with between
// tags, which may be cut anywhere. The zero value is ready for the first piece.
type thinker struct {
	state thinkState
	// held is what cannot be told yet: it may be the beginning of a tag.
	held []byte
}

type thinkState uint8

const (
	beforeThought thinkState = iota
	atThought                // behind the tag, before the first word
	inThought
	behindThought // before the first word of the answer
	noThought
)

// sayFunc takes a piece of the reasoning or of the answer.
type sayFunc func(thought bool, t canon.Text) error

// feed takes the next piece and gives say what can be told by now.
func (k *thinker) feed(t canon.Text, say sayFunc) error {
	if k.state == beforeThought && len(k.held) == 0 && !strings.Contains(space+"<", t.Head(1)) {
		k.state = noThought
	}
	if k.state == noThought {
		return say(false, t)
	}
	k.held = t.AppendTo(k.held)
	return k.step(say)
}

func (k *thinker) step(say sayFunc) error {
	if k.state == beforeThought {
		word := bytes.TrimLeft(k.held, space)
		switch {
		case bytes.HasPrefix(word, []byte(thinkOpen)):
			k.held = word[len(thinkOpen):]
			k.state = atThought
		case strings.HasPrefix(thinkOpen, string(word)):
			return nil
		default:
			k.state = noThought
			return k.take(len(k.held), false, say)
		}
	}
	if k.state == atThought {
		if k.held = bytes.TrimLeft(k.held, space); len(k.held) == 0 {
			return nil
		}
		k.state = inThought
	}
	if k.state == inThought {
		end := bytes.Index(k.held, []byte(thinkClose))
		if end < 0 {
			return k.take(len(k.held)-partOfTag(k.held), true, say)
		}
		if err := k.take(end, true, say); err != nil {
			return err
		}
		k.held = k.held[len(thinkClose):]
		k.state = behindThought
	}
	if k.held = bytes.TrimLeft(k.held, space); len(k.held) == 0 {
		return nil
	}
	k.state = noThought
	return k.take(len(k.held), false, say)
}

// take gives say the first n held bytes.
func (k *thinker) take(n int, thought bool, say sayFunc) error {
	t := canon.NewText(string(k.held[:n]))
	k.held = k.held[n:]
	if t.IsEmpty() {
		return nil
	}
	return say(thought, t)
}

// partOfTag returns how many bytes at the end of b may begin the closing tag.
func partOfTag(b []byte) int {
	for n := min(len(thinkClose)-1, len(b)); n > 0; n-- {
		if strings.HasPrefix(thinkClose, string(b[len(b)-n:])) {
			return n
		}
	}
	return 0
}

// end gives say what was held, since nothing more comes that could be a tag.
func (k *thinker) end(say sayFunc) error {
	was := k.state
	k.state = noThought
	return k.take(len(k.held), was == atThought || was == inThought, say)
}
