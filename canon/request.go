package canon

// Request is what a client asks of a model.
type Request struct {
	Model    string
	Messages []*Message
	Tools    []Tool
	// Choice constrains which tool the model calls.
	Choice ToolChoice
	// OneCall forbids more than one tool call in an answer.
	OneCall bool
	Stream  bool
	// StreamUsage says that a caller whose dialect makes it ask for the usage of a
	// stream has asked.
	StreamUsage bool
	// MaxOutput is the most tokens to answer with; 0 if the caller set none.
	MaxOutput int64
	Sampling  Sampling
	// Stop lists texts that end the answer.
	Stop      []Text
	Reasoning Reasoning
	Format    Format
	// User identifies, to the vendor, whom the answer is for.
	User Text
	// CacheKey is the same for the requests of one conversation.
	CacheKey Text
	// Ext holds the members that no field models.
	Ext Ext
}

// Sampling holds the parameters of sampling: numbers as they are written, nil
// where the caller set none.
type Sampling struct {
	Temperature, TopP, TopK           Raw
	FrequencyPenalty, PresencePenalty Raw
	Seed                              Raw
}

// Reasoning says how much the model is to think before it answers.
type Reasoning struct {
	// Mode is ReasoningUnset if the request does not say.
	Mode   ReasoningMode
	Effort Effort
	// Budget is the most tokens to think with; 0 if the caller set none.
	Budget int64
	// Show says whether the answer is to show what was thought: "" if the request
	// does not say.
	Show ReasoningShow
}

// ReasoningMode is a mode of [Reasoning].
type ReasoningMode string

// The modes of reasoning.
const (
	ReasoningUnset ReasoningMode = ""
	ReasoningOff   ReasoningMode = "off"
	ReasoningOn    ReasoningMode = "on"
)

// ReasoningShow says what of the reasoning an answer shows.
type ReasoningShow string

// What an answer shows of the reasoning.
const (
	ShowUnset   ReasoningShow = ""
	ShowNothing ReasoningShow = "nothing"
	ShowSummary ReasoningShow = "summary"
)

// Effort is how hard a model is to think: one of the Effort constants, or a word
// of the vendor's own.
type Effort string

// The efforts, from the least.
const (
	EffortUnset   Effort = ""
	EffortNone    Effort = "none"
	EffortMinimal Effort = "minimal"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortXHigh   Effort = "xhigh"
	EffortMax     Effort = "max"
	EffortUltra   Effort = "ultra"
)

// efforts lists the ladder with the budget of tokens that stands for each step
// where a model has budgets alone.
var efforts = [...]struct {
	effort Effort
	budget int64
}{
	{EffortNone, 0},
	{EffortMinimal, 512},
	{EffortLow, 1024},
	{EffortMedium, 2048},
	{EffortHigh, 8000},
	{EffortXHigh, 16000},
	{EffortMax, 32768},
	{EffortUltra, 65536},
}

// rank returns the place of e in the ladder, or -1.
func (e Effort) rank() int {
	for i, x := range efforts {
		if x.effort == e {
			return i
		}
	}
	return -1
}

// Nearest returns that of the supported efforts which is nearest to e in the
// ladder, of two the greater. It returns e if that is supported or of no place
// in the ladder, and EffortUnset if nothing is supported.
func (e Effort) Nearest(supported []Effort) Effort {
	best, distance := EffortUnset, len(efforts)
	for _, s := range supported {
		if s == e {
			return e
		}
		if s.rank() < 0 {
			continue // a word of the vendor's own is near to nothing
		}
		d := s.rank() - e.rank()
		if d < 0 {
			d = -d
		}
		if d < distance || d == distance && s.rank() > best.rank() {
			best, distance = s, d
		}
	}
	if e.rank() < 0 && len(supported) > 0 {
		return e
	}
	return best
}

// Budget returns the tokens to think with that stand for e; 0 if e has no place
// in the ladder.
func (e Effort) Budget() int64 {
	if r := e.rank(); r >= 0 {
		return efforts[r].budget
	}
	return 0
}

// EffortOf returns the effort that a budget of tokens comes nearest to, of two
// the greater.
func EffortOf(budget int64) Effort {
	best := EffortNone
	for _, x := range efforts {
		if abs(x.budget-budget) <= abs(best.Budget()-budget) {
			best = x.effort
		}
	}
	return best
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// Format constrains the form of an answer's text.
type Format struct {
	Kind FormatKind
	// Name and Description are those of the schema.
	Name        string
	Description Text
	Schema      Raw
	Strict      Flag
}

// FormatKind is a kind of [Format].
type FormatKind string

// The kinds of format.
const (
	FormatText   FormatKind = ""
	FormatJSON   FormatKind = "json"   // any JSON object
	FormatSchema FormatKind = "schema" // JSON after a schema
)

// Flag is a boolean that may be left out.
type Flag uint8

// The values of a flag.
const (
	FlagUnset Flag = iota
	FlagOff
	FlagOn
)

// FlagOf returns the flag for b.
func FlagOf(b bool) Flag {
	if b {
		return FlagOn
	}
	return FlagOff
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
	// Grammar is, of a free-text tool, the form that its input has, as the
	// Responses protocol writes it; nil if it has none.
	Grammar Raw
	// Strict says whether the input has to follow the schema exactly.
	Strict Flag
	// Deferred says that the model is shown the name alone, until it asks for the
	// tool.
	Deferred bool
	// Dialect names the dialect whose form Raw has.
	Dialect string
	// Raw is the whole declaration of a provider's tool, as written; nil of others.
	Raw Raw
	// Ext holds the members that no field models.
	Ext Ext
}

// ToolChoice constrains the model's tool calls.
type ToolChoice struct {
	Mode ChoiceMode
	// Names are the tools to choose from; none stands for all. For ChoiceOneOf
	// there is at least one.
	Names []ToolName
}

// ToolName names a declared tool.
type ToolName struct {
	Namespace, Name string
}

// String returns the name, behind its namespace and a slash if it has one.
func (n ToolName) String() string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "/" + n.Name
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
