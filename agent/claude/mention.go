package claude

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// mention is what the record of a file mentioned with @ says of its content.
type mention struct {
	typ, media   string
	text, base64 canon.Text
	hasText      bool
}

// fileBlocks returns what a mentioned file held: text, an image, a document;
// what is none of them as the client noted it down.
func fileBlocks(a *attachment) []canon.Block {
	head := fmt.Sprintf("Content of the file %s:\n", a.filename)
	m := readMention(a.content)
	switch {
	case m.hasText:
		return []canon.Block{&canon.TextBlock{Text: canon.Join(canon.NewText(head), m.text)}}
	case m.typ == "image" && !m.base64.IsEmpty():
		return []canon.Block{
			&canon.TextBlock{Text: canon.NewText(head)},
			&canon.ImageBlock{Media: canon.Media{MediaType: m.media, Data: m.base64}},
		}
	case m.typ == "pdf" && !m.base64.IsEmpty():
		return []canon.Block{
			&canon.TextBlock{Text: canon.NewText(head)},
			&canon.DocumentBlock{Media: canon.Media{MediaType: "application/pdf", Data: m.base64, Name: a.filename}},
		}
	}
	return []canon.Block{&canon.TextBlock{Text: canon.NewText(head + string(a.content))}}
}

// memoryBlocks returns the instructions of a folder that the client read in when
// it worked there: {"content":{"content":TEXT}}. (Claude Code 2.1.14 to 2.1.332.)
func memoryBlocks(a *attachment) []canon.Block {
	var text canon.Text
	d := jsonx.NewDecoder(a.content)
	switch d.Kind() {
	case jsonx.String:
		text = canon.ReadText(d)
	case jsonx.Object:
		for name := range d.Members() {
			if string(name) == "content" && d.Kind() == jsonx.String {
				text = canon.ReadText(d)
			}
		}
	default:
	}
	if text.IsBlank() {
		return clientNote(a)
	}
	head := canon.NewText(fmt.Sprintf("Instructions of the file %s:\n", a.path))
	return []canon.Block{&canon.TextBlock{BlockMeta: canon.BlockMeta{Tag: agent.TagProjectInstructions}, Text: canon.Join(head, text)}}
}

// readMention reads the content of a file attachment: text, or an object that
// tells the kind of file and holds it. (Claude Code 2.1.14 to 2.1.332; images
// and PDFs after the form that its Read tool notes down.)
func readMention(content canon.Raw) (m mention) {
	d := jsonx.NewDecoder(content)
	switch d.Kind() {
	case jsonx.String:
		m.text, m.hasText = canon.ReadText(d), true
	case jsonx.Object:
		for name := range d.Members() {
			switch {
			case string(name) == "type":
				m.typ = d.OptStr()
			case string(name) == "file" && d.Kind() == jsonx.Object:
				m.readFile(d)
			}
		}
	default:
	}
	return m
}

func (m *mention) readFile(d *jsonx.Decoder) {
	for name := range d.Members() {
		switch n := string(name); {
		case d.Kind() != jsonx.String:
		case n == "content":
			m.text, m.hasText = canon.ReadText(d), true
		case n == "base64":
			m.base64 = canon.ReadText(d)
		case n == "type":
			m.media = d.Str()
		}
	}
}
