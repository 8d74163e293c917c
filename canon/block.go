package canon

// BlockKind names the kinds of content block. The names are those of the
// counters in a [Report].
type BlockKind string

// The block kinds.
const (
	KindText       BlockKind = "text"
	KindImage      BlockKind = "image"
	KindDocument   BlockKind = "document"
	KindReasoning  BlockKind = "reasoning"
	KindToolCall   BlockKind = "tool_call"
	KindToolResult BlockKind = "tool_result"
	KindCompaction BlockKind = "compaction"
	KindOpaque     BlockKind = "other"
)

// Block is one piece of a message's content. The set is closed: [*TextBlock]
// and the other types of this file.
type Block interface {
	Kind() BlockKind
	// Meta returns what every block has; never nil.
	Meta() *BlockMeta
}

// BlockMeta is what a block has beside its content. None of it takes part in
// equality.
type BlockMeta struct {
	// ItemID is the id that the dialect gave this block's own item, such as
	// the "fc_…" of a Responses function call. Empty in dialects that id whole
	// messages.
	ItemID string
	// Ext holds the members that no field models.
	Ext Ext
	// Tag names the scaffolding that a text block is: context that a client
	// puts in by itself and will put in anew, such as "environment_context".
	// Empty for all other content.
	Tag string
	// Synthesized says that no dialect carried this block: a stage made it to
	// keep the list well-formed.
	Synthesized bool
}

// Meta implements [Block].
func (m *BlockMeta) Meta() *BlockMeta { return m }

// Ext holds members of a JSON object that no type models, in their order. They
// go back to the dialect or format they came from and are a [Loss] elsewhere.
type Ext struct {
	// Dialect names that dialect or format, such as "anthropic".
	Dialect string
	Members []Member
}

// Member is one name and value of a JSON object.
type Member struct {
	Name  string
	Value Raw
}

// Get returns the value of the first member called name, or nil.
func (e *Ext) Get(name string) Raw {
	for _, m := range e.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// TextBlock is text that a person, a program or the model wrote.
type TextBlock struct {
	BlockMeta
	Text Text
}

// PlainText returns the text of content that is one plain text, or none at all.
func PlainText(content []Block) (Text, bool) {
	if len(content) == 0 {
		return Text{}, true
	}
	t, ok := content[0].(*TextBlock)
	if !ok || len(content) > 1 || len(t.Ext.Members) > 0 {
		return Text{}, false
	}
	return t.Text, true
}

// StaysBehind says why b never goes to another agent: it is scaffolding, or only
// its vendor or its session can use it. "" if it goes.
func StaysBehind(b Block) (why string) {
	switch tag := b.Meta().Tag; {
	case tag != "":
		return "scaffolding: " + tag
	case b.Kind() == KindReasoning:
		return "reasoning belongs to the vendor that issued it"
	case b.Kind() == KindCompaction:
		return "mark of a compaction"
	}
	return ""
}

// Media is the content of an image or document: inline data or a reference.
// Exactly one of Data, URL and Plain is set.
type Media struct {
	// MediaType is the MIME type as declared, such as "image/png"; often empty
	// with a URL.
	MediaType string
	// Data is base64.
	Data Text
	// URL is an http, https or vendor file reference; never a data URL.
	URL Text
	// Plain is the text of a document that is given as plain text.
	Plain Text
	// Name is the file name or title, if any.
	Name string
}

// IsEmpty reports whether m has no content at all.
func (m *Media) IsEmpty() bool { return m.Data.IsEmpty() && m.URL.IsEmpty() && m.Plain.IsEmpty() }

// ImageBlock is an image.
type ImageBlock struct {
	BlockMeta
	Media
}

// DocumentBlock is a document such as a PDF.
type DocumentBlock struct {
	BlockMeta
	Media
}

// ReasoningBlock is what a model thought. Its Capsule belongs to the issuer
// and is worthless elsewhere.
type ReasoningBlock struct {
	BlockMeta
	// Text is the full text where the vendor shows it.
	Text Text
	// Summary is the vendor's summary of it, part by part.
	Summary []Text
	Capsule Capsule
	// Redacted says that only the capsule was given.
	Redacted bool
}

// BetweenParts parts the parts of a summary where there is one text for them.
const BetweenParts = "\n\n"

// Shown returns the text of the reasoning, or else its summary.
func (b *ReasoningBlock) Shown() Text {
	if !b.Text.IsEmpty() {
		return b.Text
	}
	return JoinWith(BetweenParts, b.Summary...)
}

// Capsule is a sealed vendor state: a signature or encrypted reasoning.
type Capsule struct {
	// Issuer is the dialect whose vendor made it.
	Issuer string
	Sealed Text
}

// CallKind tells how a tool is called on the wire.
type CallKind string

// The kinds of tool call.
const (
	CallFunction CallKind = "function" // JSON input after a schema
	CallCustom   CallKind = "custom"   // free text input
	CallShell    CallKind = "shell"    // the dialect's own shell call
	CallProvider CallKind = "provider" // a tool that the vendor runs itself
)

// ToolCallBlock is the model's call of a tool.
type ToolCallBlock struct {
	BlockMeta
	CallID    string
	Name      string
	Namespace string
	Call      CallKind
	Input     Input
}

// Input is what the model wrote as a call's input, exactly. One of JSON and
// Text is set; neither is an empty input.
type Input struct {
	// JSON is well-formed.
	JSON Raw
	// Text is free text, or JSON text that is not well-formed.
	Text Text
}

// ToolResultBlock answers a call.
type ToolResultBlock struct {
	BlockMeta
	CallID  string
	Content []Block
	IsError bool
	// Call tells how the tool was called, where the dialect has results of
	// several kinds; empty is CallFunction.
	Call CallKind
}

// CompactionBlock marks the place where a client replaced earlier messages by
// a summary. What it says follows as a message of kind [Summary], unless only
// the vendor can read it.
type CompactionBlock struct {
	BlockMeta
	Capsule Capsule
}

// OpaqueBlock is a block or item of a kind that canon does not model.
type OpaqueBlock struct {
	BlockMeta
	// Dialect names the dialect whose form Raw has.
	Dialect string
	// Type is the dialect's own name of the kind.
	Type string
	Raw  Raw
	// Words say in other dialects what the block says in its own, if words can.
	Words Text
}

// Kind implements [Block].
func (*TextBlock) Kind() BlockKind { return KindText }

// Kind implements [Block].
func (*ImageBlock) Kind() BlockKind { return KindImage }

// Kind implements [Block].
func (*DocumentBlock) Kind() BlockKind { return KindDocument }

// Kind implements [Block].
func (*ReasoningBlock) Kind() BlockKind { return KindReasoning }

// Kind implements [Block].
func (*ToolCallBlock) Kind() BlockKind { return KindToolCall }

// Kind implements [Block].
func (*ToolResultBlock) Kind() BlockKind { return KindToolResult }

// Kind implements [Block].
func (*CompactionBlock) Kind() BlockKind { return KindCompaction }

// Kind implements [Block].
func (*OpaqueBlock) Kind() BlockKind { return KindOpaque }
