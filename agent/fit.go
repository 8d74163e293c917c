package agent

import (
	"fmt"
	"iter"
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Capacity says what content an agent's model API takes, so that a session
// that is written for it can be resumed.
type Capacity struct {
	// Dialect is the one that the agent's files embed: opaque blocks of it pass.
	Dialect string
	// CallIDs and Names are the grammars of tool call ids and tool names; the
	// zero Names leaves names to the adapter.
	CallIDs, Names canon.Grammar
	// ImageTypes lists the media types that images may have.
	ImageTypes []string
	// MaxImage is the most base64 bytes an image may have.
	MaxImage int
	// Documents tells whether the API takes this document.
	Documents func(*canon.DocumentBlock) bool
	// Provider tells whether the API takes this call of a tool that the provider
	// runs; nil takes them all.
	Provider func(*canon.ToolCallBlock) bool
	// ProviderResults says that a call of a provider's tool needs a result, too.
	ProviderResults bool
	// ErrorFlag says that a result can be marked as an error.
	ErrorFlag bool
	// BlankText says that text of white space alone is accepted.
	BlankText bool
	// UserFirst says that a session must begin with the user.
	UserFirst bool
}

// Opening is the user text that opens a session which would begin with an
// answer, where that is not allowed.
const Opening = "[The earlier part of this session was not handed over.]"

// Fit returns msgs as c can take them. Whatever it changes it counts in r:
// names and ids that c refuses get an alias, content that c cannot hold becomes
// a placeholder text or is dropped.
func Fit(msgs canon.Messages, c *Capacity, r *canon.Report) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		f := fitter{c: c, r: r, first: true}
		for m, err := range msgs {
			if err != nil {
				yield(nil, err)
				return
			}
			for out := range f.message(m) {
				if !yield(out, nil) {
					return
				}
			}
		}
	}
}

type fitter struct {
	c     *Capacity
	r     *canon.Report
	first bool
}

func (f *fitter) message(m *canon.Message) iter.Seq[*canon.Message] {
	return func(yield func(*canon.Message) bool) {
		m.Blocks = f.blocks(m, m.Blocks, false)
		if len(m.Blocks) == 0 {
			f.r.Drop(m, "nothing is left of the message")
			return
		}
		if f.c.ProviderResults {
			f.answerProvider(m)
		}
		if f.first && f.c.UserFirst && m.Role == canon.Assistant {
			opening := &canon.Message{Role: canon.User, Kind: canon.Injected, Time: m.Time, Turn: m.Turn, Blocks: []canon.Block{
				&canon.TextBlock{BlockMeta: canon.BlockMeta{Synthesized: true}, Text: canon.NewText(Opening)},
			}}
			f.r.Synthesize(opening, "a session of this agent begins with the user")
			f.first = false
			if !yield(opening) {
				return
			}
		}
		f.first = false
		yield(m)
	}
}

// blocks returns the blocks that c takes. inResult says that they are the
// content of a tool result, of which text is not counted.
func (f *fitter) blocks(m *canon.Message, blocks []canon.Block, inResult bool) []canon.Block {
	out := blocks[:0]
	for _, b := range blocks {
		if nb := f.block(m, b, inResult); nb != nil {
			out = append(out, nb)
		}
	}
	return out
}

// block returns b, what stands for it, or nil if it was dropped.
func (f *fitter) block(m *canon.Message, b canon.Block, inResult bool) canon.Block {
	switch b := b.(type) {
	case *canon.TextBlock:
		if !f.c.BlankText && b.Text.IsBlank() {
			if !inResult {
				f.r.DropBlock(m, b, "text without content")
			}
			return nil
		}
	case *canon.ImageBlock:
		why := f.imageRefused(b)
		if m.Role == canon.Assistant && !inResult {
			why = "an answer cannot hold an image there"
		}
		if why != "" {
			return f.placeholder(m, b, inResult, "[image left out: "+why+"]", why)
		}
	case *canon.DocumentBlock:
		if f.c.Documents == nil || !f.c.Documents(b) {
			return f.placeholder(m, b, inResult, documentText(b), "the target does not take such documents")
		}
	case *canon.ToolCallBlock:
		if b.Call == canon.CallProvider && f.c.Provider != nil && !f.c.Provider(b) {
			f.r.DropBlock(m, b, fmt.Sprintf("a call of the provider's own tool %q", b.Name))
			return nil
		}
		f.call(m, b)
	case *canon.ToolResultBlock:
		f.result(m, b)
	case *canon.OpaqueBlock:
		if b.Dialect != f.c.Dialect {
			f.r.DropBlock(m, b, fmt.Sprintf("%q exists only in the %s dialect", b.Type, b.Dialect))
			return nil
		}
	case *canon.CompactionBlock:
		f.r.DropBlock(m, b, "mark of a compaction")
		return nil
	case *canon.ReasoningBlock:
		if b.Capsule.Issuer != f.c.Dialect {
			f.r.DropBlock(m, b, "reasoning of another vendor")
			return nil
		}
	}
	f.ext(m, b)
	return b
}

// ext lists the members that stay behind because they are another dialect's.
func (f *fitter) ext(m *canon.Message, b canon.Block) {
	e := &b.Meta().Ext
	if e.Dialect == f.c.Dialect {
		return
	}
	for _, x := range e.Members {
		f.r.Lose(canon.Loss{Where: m.Where(), What: x.Name, Action: canon.Dropped, Why: "exists only in the " + e.Dialect + " dialect"})
	}
	b.Meta().Ext = canon.Ext{}
}

func (f *fitter) placeholder(m *canon.Message, b canon.Block, inResult bool, text, why string) canon.Block {
	t := &canon.TextBlock{Text: canon.NewText(text)}
	if inResult { // text in results is not counted, so nothing is synthesized
		f.r.DropBlock(m, b, why)
		return t
	}
	f.r.Replace(m, b, []canon.Block{t}, why)
	return t
}

func (f *fitter) imageRefused(b *canon.ImageBlock) string {
	if !b.URL.IsEmpty() {
		return ""
	}
	if n := b.Data.Size(); n > f.c.MaxImage {
		return fmt.Sprintf("%d bytes are more than the %d that the target takes", n, f.c.MaxImage)
	}
	for _, t := range f.c.ImageTypes {
		if t == b.MediaType {
			return ""
		}
	}
	return fmt.Sprintf("the target does not take images of type %q", b.MediaType)
}

func documentText(b *canon.DocumentBlock) string {
	switch {
	case !b.Plain.IsEmpty():
		return b.Plain.String()
	case b.Name != "":
		return fmt.Sprintf("[document %s left out: the target does not take it]", b.Name)
	}
	return "[document left out: the target does not take it]"
}

func (f *fitter) call(m *canon.Message, b *canon.ToolCallBlock) {
	if id := canon.LegalID(b.CallID, f.c.CallIDs); id != b.CallID {
		b.CallID = id
		f.r.Lose(canon.Loss{Where: m.Where(), What: "tool_call id", Action: canon.Renamed, Why: "the target's API refuses the id"})
	}
	if f.c.Names.Max == 0 {
		return
	}
	if name := canon.LegalID(b.Name, f.c.Names); name != b.Name {
		b.Name = name
		f.r.Lose(canon.Loss{Where: m.Where(), What: "tool_call name", Action: canon.Renamed, Why: "the target's API refuses the name"})
	}
}

func (f *fitter) result(m *canon.Message, b *canon.ToolResultBlock) {
	b.CallID = canon.LegalID(b.CallID, f.c.CallIDs)
	b.Content = f.blocks(m, b.Content, true)
	if b.IsError && !f.c.ErrorFlag {
		b.IsError = false
		f.r.Lose(canon.Loss{Where: m.Where(), What: "is_error", Action: canon.Downgraded, Why: "the target has no error flag; the text stays"})
	}
}

// answerProvider gives each provider call of m that has no result an empty one.
func (f *fitter) answerProvider(m *canon.Message) {
	var open []*canon.ToolCallBlock
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case *canon.ToolCallBlock:
			if b.Call == canon.CallProvider {
				open = append(open, b)
			}
		case *canon.ToolResultBlock:
			open = slices.DeleteFunc(open, func(c *canon.ToolCallBlock) bool { return c.CallID == b.CallID })
		}
	}
	for _, c := range open {
		r := &canon.ToolResultBlock{BlockMeta: canon.BlockMeta{Synthesized: true}, CallID: c.CallID, Call: canon.CallProvider}
		f.r.SynthesizeBlock(m, r, "the provider's own tool has no result in the source")
		m.Blocks = append(m.Blocks, r)
	}
}
