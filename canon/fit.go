package canon

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
)

// Capacity says what content a model API takes as history, so that a session
// that is written for it can be resumed.
type Capacity struct {
	// Dialect is the one that the agent's files embed: opaque blocks of it pass.
	Dialect string
	// CallIDs and Names are the grammars of tool call ids and of tool names and
	// namespaces; the zero Names leaves names to the adapter.
	CallIDs, Names Grammar
	// PartOf returns the id of the call that the agent takes one with this id for a
	// part of, if there is such a call; "" is none. nil takes every call as one.
	PartOf func(id string) string
	// ImageTypes lists the media types that images may have.
	ImageTypes []string
	// MaxImage is the most base64 bytes an image may have.
	MaxImage int
	// NoImageURLs says that an image must be inline.
	NoImageURLs bool
	// Documents tells whether the API takes this document; nil takes none.
	Documents func(*DocumentBlock) bool
	// Provider tells whether the API takes this call of a tool that the provider
	// runs, with its result, which may be nil; nil takes them all.
	Provider func(*ToolCallBlock, *ToolResultBlock) bool
	// ProviderResults says that a call of a provider's tool needs a result, too.
	ProviderResults bool
	// Call gives a call the form in which the agent's files can hold it and says
	// why it had to change; nil takes every call as it is.
	Call func(*ToolCallBlock) (why string)
	// Reasoning tells whether the API takes this reasoning back; nil takes none.
	Reasoning func(*ReasoningBlock) bool
	// Compaction tells whether the API takes this compaction back; nil takes none.
	Compaction func(*CompactionBlock) bool
	// Custom, Shell and Namespaces say that there are calls of free text, calls of
	// the dialect's own shell, and tools in namespaces.
	Custom, Shell, Namespaces bool
	// ErrorFlag says that a result can be marked as an error.
	ErrorFlag bool
	// BillingLine says that the line is kept that Claude Code puts before its system
	// text for its vendor's accounts: it is another one in each request, so that no
	// other vendor's cache would ever hold the prompt.
	BillingLine bool
	// BlankText says that text of white space alone is accepted.
	BlankText bool
	// UserFirst says that a session must begin with the user.
	UserFirst bool
	// SystemApart says that system text before the conversation is no part of it.
	SystemApart bool
	// LeadingSystem says that system text may stand only before the conversation;
	// later it becomes text of the user, in a mark.
	LeadingSystem bool
}

// Opening is the user text that opens a session which would begin with an
// answer, where that is not allowed.
const Opening = "[The earlier part of this session was not handed over.]"

// Fit returns msgs, which Heal has paired, as c can take them. Whatever
// it changes it counts in r: names and ids that c refuses get an alias, content
// that c cannot hold becomes a placeholder text or is dropped.
//
// base are the calls of the session that msgs are added to, nil if it is a new
// one: a call with an id of theirs gets another one, and so does its result.
func Fit(msgs Messages, c *Capacity, base *CallIDs, r *Report) Messages {
	return func(yield func(*Message, error) bool) {
		f := fitter{c: c, r: r, first: true, open: make(map[string]fittedCall), ids: make(map[string]bool), bases: make(map[string]bool)}
		f.addTo(base)
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
	r     *Report
	first bool
	begun bool // the conversation has
	// open holds the calls that wait for their result, by the id that it names.
	open map[string]fittedCall
	// ids are those of the calls so far, bases those that they are taken for
	// parts of.
	ids, bases map[string]bool
	// taken are the ids that no call may have any more; nil for a new session,
	// since Heal saw all of its ids.
	taken map[string]bool
}

// CallIDs are the ids of the calls of a session that messages are added to.
type CallIDs struct{ ids []string }

// Add takes in the calls of a message.
func (c *CallIDs) Add(m *Message) {
	for _, b := range m.Blocks {
		if b, ok := b.(*ToolCallBlock); ok {
			c.ids = append(c.ids, b.CallID)
		}
	}
}

// addTo makes the calls of base those that came before.
func (f *fitter) addTo(base *CallIDs) {
	if base == nil {
		return
	}
	f.taken = make(map[string]bool, len(base.ids))
	for _, id := range base.ids {
		f.note(id)
	}
}

// note remembers the id of a call.
func (f *fitter) note(id string) {
	if f.taken != nil {
		f.taken[id] = true
	}
	if f.c.PartOf == nil {
		return
	}
	f.ids[id] = true
	if of := f.c.PartOf(id); of != "" {
		f.bases[of] = true
	}
}

func (f *fitter) message(m *Message) iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		if IsOpening(m) {
			f.r.Drop(m, ofEarlier)
			return
		}
		counted := !m.IsScaffolding()
		f.adjoin(m)
		f.provider(m)
		m.Blocks = f.blocks(m, m.Blocks, false)
		if len(m.Blocks) == 0 {
			if counted {
				f.r.Drop(m, "nothing is left of the message")
			}
			return
		}
		f.header(m)
		f.place(m)
		if f.first && f.c.UserFirst && m.Role == Assistant {
			opening := &Message{Role: User, Kind: Injected, Time: m.Time, Turn: m.Turn, Blocks: []Block{
				&TextBlock{BlockMeta: BlockMeta{Synthesized: true}, Text: NewText(Opening)},
			}}
			f.r.Synthesize(opening, "a session of this agent begins with the user")
			f.first, f.begun = false, true
			if !yield(opening) {
				return
			}
		}
		f.begun = f.begun || m.Role != System
		f.first = f.first && f.c.SystemApart && m.Role == System
		yield(m)
	}
}

// The mark around text of the system that a dialect has to take for the user's.
const (
	systemOpen  = "<system-message>\n"
	systemClose = "\n</system-message>"
)

// place makes text of the user of system text that stands where c has none.
func (f *fitter) place(m *Message) {
	if !f.c.LeadingSystem || m.Role != System || !f.begun {
		return
	}
	f.r.Change(m, string(KindText), Moved, string(m.Authority)+" text within the conversation becomes marked text of the user")
	m.Role, m.Authority, m.Kind = User, "", Injected
	for i, b := range m.Blocks {
		if t, ok := b.(*TextBlock); ok {
			m.Blocks[i] = &TextBlock{BlockMeta: t.BlockMeta, Text: Join(NewText(systemOpen), t.Text, NewText(systemClose))}
		}
	}
}

// ofEarlier says why a message is dropped that only a hand-over needed.
const ofEarlier = "an earlier hand-over put it in"

// IsOpening reports whether m is the opening of an earlier hand-over.
func IsOpening(m *Message) bool {
	t, ok := m.First().(*TextBlock)
	return ok && len(m.Blocks) == 1 && m.Role == User && m.Kind == Injected && t.Text.Equal(NewText(Opening))
}

// header adapts what a message has beside its blocks.
func (f *fitter) header(m *Message) {
	switch {
	case m.Role != System:
		m.Authority = ""
	case m.Authority != AuthorityDeveloper:
		m.Authority = AuthoritySystem
	}
	f.ext(m, &m.Ext)
}

// blocks returns the blocks that c takes. inResult says that they are the
// content of a tool result, of which text is not counted.
func (f *fitter) blocks(m *Message, blocks []Block, inResult bool) []Block {
	out := blocks[:0]
	for _, b := range blocks {
		if nb := f.block(m, b, inResult); nb != nil {
			out = append(out, nb)
		}
	}
	return out
}

// block returns b, what stands for it, or nil if it was dropped.
func (f *fitter) block(m *Message, b Block, inResult bool) Block {
	switch b := b.(type) {
	case *TextBlock:
		if b.Text.IsEmpty() && inResult {
			return nil // no content in any dialect
		}
		if f.isBilling(m, b) {
			return f.withoutBilling(m, b)
		}
		if !f.c.BlankText && b.Text.IsBlank() {
			if inResult { // text in results is not counted
				f.r.Change(m, string(KindToolResult), Downgraded, "text of white space alone is left out")
			} else {
				f.r.DropBlock(m, b, "text without content")
			}
			return nil
		}
	case *ImageBlock:
		if b.URL.IsEmpty() {
			f.imageType(m, b)
		}
		if text, why := f.imageRefused(m, b, inResult); why != "" {
			return f.placeholder(m, b, inResult, text, why)
		}
		normalize(&b.Media)
	case *DocumentBlock:
		if f.c.Documents == nil || !f.c.Documents(b) {
			return f.placeholder(m, b, inResult, documentText(b), "the target does not take such documents")
		}
		normalize(&b.Media)
	case *ToolCallBlock:
		f.call(m, b)
	case *ToolResultBlock:
		f.result(m, b)
	case *OpaqueBlock:
		switch {
		case b.Dialect == f.c.Dialect:
		case !b.Words.IsEmpty():
			return f.placeholder(m, b, inResult, b.Words.String(), fmt.Sprintf("%q exists only in the %s dialect", b.Type, b.Dialect))
		default:
			f.r.DropBlock(m, b, fmt.Sprintf("%q exists only in the %s dialect", b.Type, b.Dialect))
			return nil
		}
	case *ReasoningBlock:
		if f.c.Reasoning == nil || !f.c.Reasoning(b) {
			f.r.DropBlock(m, b, StaysBehind(b))
			return nil
		}
	case *CompactionBlock:
		if f.c.Compaction == nil || !f.c.Compaction(b) {
			f.r.DropBlock(m, b, StaysBehind(b))
			return nil
		}
	}
	f.ext(m, &b.Meta().Ext)
	return b
}

// billing begins the line of Claude Code's that [Capacity.BillingLine] is about.
// (2.1.332.)
const billing = "x-anthropic-billing-header:"

// isBilling reports whether b begins with a billing line that c does not keep: it
// stands only before the conversation.
func (f *fitter) isBilling(m *Message, b *TextBlock) bool {
	return !f.c.BillingLine && m.Role == System && !f.begun && b.Text.HasPrefix(billing)
}

// withoutBilling returns b without the billing line, or nil if it holds no more
// than that.
func (f *fitter) withoutBilling(m *Message, b *TextBlock) Block {
	const why = "the billing line is for its own vendor"
	_, rest, _ := b.Text.Cut("\n")
	if rest.IsBlank() {
		f.r.DropBlock(m, b, why)
		return nil
	}
	f.r.Change(m, string(KindText), Downgraded, why)
	b.Text = rest
	f.ext(m, &b.Ext)
	return b
}

// ext lists the members that stay behind because they are another dialect's.
func (f *fitter) ext(m *Message, e *Ext) {
	if e.Dialect == f.c.Dialect {
		return
	}
	for _, x := range e.Members {
		f.r.Change(m, x.Name, Dropped, "exists only in the "+e.Dialect+" dialect")
	}
	*e = Ext{}
}

func (f *fitter) placeholder(m *Message, b Block, inResult bool, text, why string) Block {
	t := &TextBlock{Text: NewText(text)}
	if inResult { // text in results is not counted, so nothing is synthesized
		f.r.DropBlock(m, b, why)
		return t
	}
	f.r.Replace(m, b, []Block{t}, why)
	return t
}

// unnamed is the name of a call that has none.
const unnamed = "unnamed_tool"

func (f *fitter) call(m *Message, b *ToolCallBlock) {
	if f.c.Call != nil {
		if why := f.c.Call(b); why != "" {
			f.r.Change(m, string(KindToolCall), Downgraded, why)
		}
	}
	b.Call = cmp.Or(b.Call, CallFunction)
	original := b.CallID
	if id := LegalID(original, f.c.CallIDs); id != original {
		b.CallID = id
		f.r.Change(m, "tool_call id", Renamed, "the target's API refuses the id")
	}
	if b.Call != CallProvider || f.taken[b.CallID] {
		id, why := f.apart(b.CallID)
		if why != "" {
			b.CallID = id
			f.r.Change(m, "tool_call id", Renamed, why)
		}
		f.open[original] = fittedCall{id: id, kind: b.Call}
	}
	name, space := b.Name, b.Namespace
	if name == "" {
		name = unnamed
	}
	if f.c.Names.Max > 0 {
		name = LegalID(name, f.c.Names)
		if space != "" {
			space = LegalID(space, f.c.Names)
		}
	}
	if name != b.Name || space != b.Namespace {
		b.Name, b.Namespace = name, space
		f.r.Change(m, "tool_call name", Renamed, "the target's API refuses the name")
	}
}

// fittedCall is a call that waits for its result.
type fittedCall struct {
	id   string
	kind CallKind
}

// apart returns an id for a call that is no other call's, and that the target
// takes for a part of no other call, and no other one for a part of it; and why
// that is not id, if it is not.
func (f *fitter) apart(id string) (alias, why string) {
	alias = id
	for n := 2; ; n++ {
		clash := f.clash(alias)
		if clash == "" {
			break
		}
		why = cmp.Or(why, clash)
		alias = LegalID(id+"_x"+strconv.Itoa(n), f.c.CallIDs)
	}
	f.note(alias)
	return alias, why
}

// clash says why a call may not have the id; "" if it may.
func (f *fitter) clash(id string) string {
	switch {
	case f.taken[id]:
		return "the session that the call is added to has one of this id"
	case f.c.PartOf != nil && (f.ids[f.c.PartOf(id)] || f.bases[id]):
		return "the target takes the call for a part of another one"
	}
	return ""
}

// result adapts a result to the call it answers.
func (f *fitter) result(m *Message, b *ToolResultBlock) {
	if c, ok := f.open[b.CallID]; ok {
		delete(f.open, b.CallID)
		b.Call, b.CallID = c.kind, c.id
	} else {
		b.CallID = LegalID(b.CallID, f.c.CallIDs)
	}
	b.Content = f.blocks(m, b.Content, true)
	if b.IsError && !f.c.ErrorFlag {
		if b.IsError = false; b.Synthesized {
			return // it says so in words, and was never there
		}
		f.r.Change(m, "is_error", Downgraded, "the target has no error flag; the text stays")
	}
}
