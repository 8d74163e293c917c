package canon

import "github.com/crosswalk-agents/crosswalk/internal/jsonx"

// Request is what a client asks of a model.
type Request struct {
	Model    string
	Messages []*Message
	Tools    []Tool
	// Choice constrains which tool the model calls.
	Choice ToolChoice
	Stream bool
	// MaxOutput is the most tokens to answer with; 0 if the caller set none.
	MaxOutput int64
	// Ext holds the members that no field models.
	Ext Ext
}

// Tool is a tool that a request declares.
type Tool struct {
	// Name is, of a provider's tool that has none, its type.
	Name      string
	Namespace string
	// Call tells how the model calls it. A tool that the vendor runs or defines
	// is CallProvider, and only Raw describes it.
	Call        CallKind
	Description Text
	// Schema is the JSON Schema of the input; nil for a free-text tool.
	Schema Raw
	// Raw is the whole declaration as written.
	Raw Raw
}

// ToolChoice constrains the model's tool calls.
type ToolChoice struct {
	Mode ChoiceMode
	// Names are the tools to choose from; none stands for all. For ChoiceOneOf
	// there is at least one.
	Names []string
}

// ChoiceMode is a mode of [ToolChoice].
type ChoiceMode string

// The choice modes. ChoiceUnset is that of a request that says nothing.
const (
	ChoiceUnset ChoiceMode = ""
	ChoiceAuto  ChoiceMode = "auto"
	ChoiceAny   ChoiceMode = "any"
	ChoiceNone  ChoiceMode = "none"
	ChoiceOneOf ChoiceMode = "one_of"
)

// ReadText reads a JSON string from d as a text. The text shares d's memory.
func ReadText(d *jsonx.Decoder) Text {
	lit := d.Literal()
	if len(lit) < 2 {
		return Text{}
	}
	return Text{body: view(lit[1 : len(lit)-1]), escaped: d.Escaped(), literal: true}
}

// Read reads the next value from d and adds it to e as the member name.
func (e *Ext) Read(d *jsonx.Decoder, dialect string, name []byte) {
	e.Dialect = dialect
	m := Member{Name: string(name)}
	m.Value = d.CleanRaw()
	e.Members = append(e.Members, m)
}
