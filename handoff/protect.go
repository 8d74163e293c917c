package handoff

import (
	"crypto/rand"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/secret"
)

// protect looks for likely secrets in everything that is handed over, and masks
// them if that is asked for. Ids and the structure of JSON stay untouched.
func (g *guard) protect(msgs canon.Messages) canon.Messages {
	return each(msgs, func(m *canon.Message) *canon.Message {
		g.at = m
		g.ext(&m.Ext)
		g.blocks(m.Blocks)
		return m
	})
}

// thread looks at what a session's header says.
func (g *guard) thread(t canon.Thread) canon.Thread {
	g.part = "title"
	t.Title = g.string(t.Title)
	g.part = "branch"
	t.Git.Branch = g.string(t.Git.Branch)
	return t
}

func newGuard(o *Options, r *canon.Report) (*guard, error) {
	key := o.Lineage
	if key == nil {
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // never fails
	}
	names, err := secret.NewPlaceholders(key)
	if err != nil {
		return nil, err
	}
	deep := o.Redact || o.DeepSecrets
	return &guard{finder: secret.New(secret.Options{Deep: deep}), names: names, redact: o.Redact, deep: deep, report: r}, nil
}

type guard struct {
	finder  *secret.Finder
	names   *secret.Placeholders
	redact  bool
	deep    bool // names such as password= count, which escapes may hide
	report  *canon.Report
	at      *canon.Message // that is looked at
	part    string         // of the header that is looked at while there is no message
	scratch []byte
}

func (g *guard) blocks(blocks []canon.Block) {
	for _, b := range blocks {
		g.ext(&b.Meta().Ext)
		switch b := b.(type) {
		case *canon.TextBlock:
			b.Text = g.text(b.Text)
		case *canon.ImageBlock:
			g.media(&b.Media)
		case *canon.DocumentBlock:
			g.media(&b.Media)
		case *canon.ToolCallBlock:
			b.Input.Text = g.text(b.Input.Text)
			b.Input.JSON = g.json(b.Input.JSON)
		case *canon.ToolResultBlock:
			g.blocks(b.Content)
		case *canon.OpaqueBlock:
			b.Raw, b.Words = g.json(b.Raw), g.text(b.Words)
		case *canon.ReasoningBlock:
			b.Text = g.text(b.Text)
			for i, s := range b.Summary {
				b.Summary[i] = g.text(s)
			}
		case *canon.CompactionBlock:
		}
	}
}

// media looks at what an image or document says in words. Its data is no text.
func (g *guard) media(m *canon.Media) {
	m.URL = g.text(m.URL)
	m.Plain = g.text(m.Plain)
	m.Name = g.string(m.Name)
}

func (g *guard) ext(e *canon.Ext) {
	for i := range e.Members {
		e.Members[i].Value = g.json(e.Members[i].Value)
	}
}

func (g *guard) text(t canon.Text) canon.Text {
	text, escaped := t.View()
	if len(text) == 0 || escaped && !g.deep && !g.finder.Suspects(text) {
		return t
	}
	if escaped {
		g.scratch = t.AppendTo(g.scratch[:0])
		text = g.scratch
	}
	masked, found := g.mask(text)
	if !found {
		return t
	}
	return canon.NewText(string(masked))
}

func (g *guard) string(s string) string {
	if masked, found := g.mask([]byte(s)); found {
		return string(masked)
	}
	return s
}

// json masks the strings of a value.
func (g *guard) json(v canon.Raw) canon.Raw {
	if len(v) == 0 || !g.deep && !g.finder.Suspects(v) {
		return v
	}
	return jsonx.MapStrings(v, func(s string) (string, bool) {
		masked, found := g.mask([]byte(s))
		return string(masked), found
	})
}

// mask records what it finds in text, and returns it masked if that is asked
// for and there is something to mask. Text that is itself JSON source may hold
// a secret in escaped form; what it stands for is looked at, too.
func (g *guard) mask(text []byte) (masked []byte, changed bool) {
	matches := g.finder.Find(text)
	if len(matches) == 0 {
		matches = g.finder.FindEscaped(text)
	}
	if len(matches) == 0 {
		return nil, false
	}
	where := g.part
	if g.at != nil {
		where = g.at.Where()
	}
	for _, m := range matches {
		g.report.AddSecret(canon.Secret{Rule: m.Rule, Where: where})
	}
	if !g.redact {
		return nil, false
	}
	g.report.Note("secrets-masked", len(matches))
	return secret.Mask(nil, text, matches, g.names.For), true
}
