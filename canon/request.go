package canon

// Request is what a client asks of a model. A session file holds none: requests
// are read to see what a client makes of the sessions that were written for it.
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
