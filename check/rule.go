package check

import "slices"

// Severity ranks findings.
type Severity string

// The severities.
const (
	// Error: the client refuses the session or loses a part of its history, or
	// the vendor's API refuses every request that carries it.
	Error Severity = "error"
	// Warning: something smaller is lost, or the session is not listed.
	Warning Severity = "warning"
	// Info: worth knowing; nothing is lost.
	Info Severity = "info"
)

// Effect is what a defect does when the session is resumed.
type Effect string

// The effects.
const (
	// Refused: the client does not open the session.
	Refused Effect = "refused"
	// VendorRefuses: the client opens it and sends what the vendor's API answers
	// with an error, at every turn.
	VendorRefuses Effect = "vendor-refuses"
	// HistoryLost: readable history does not reach the model.
	HistoryLost Effect = "history-lost"
	// PartLost: something is cut or left out that does not change the history.
	PartLost Effect = "part-lost"
	// Unlisted: the client's picker does not show it, or not under its title.
	Unlisted Effect = "unlisted"
	// Harmless: the client copes.
	Harmless Effect = "harmless"
)

// Rule is one thing that is looked for. Ids are stable.
type Rule struct {
	ID       string   `json:"id"`
	Agent    string   `json:"agent"`
	Severity Severity `json:"severity"`
	Effect   Effect   `json:"effect"`
	// Summary says what is wrong, and what comes of it.
	Summary string `json:"summary"`
	// Remedy says what a person can do.
	Remedy string `json:"remedy"`
	// Repair says what [Repair] does about it; empty if nothing.
	Repair string `json:"repair,omitempty"`
	// Evidence names the client and version in which this was seen, or the
	// public report. "api" stands for a documented or reported rule of the
	// vendor's API that was not tried.
	Evidence string `json:"evidence"`
	// Place says that the defect is where the file lies or how it is named, not
	// what is in it: a repaired copy cannot answer for it.
	Place bool `json:"place,omitempty"`
}

// The agents whose files are checked.
const (
	agentClaude = "claude"
	agentCodex  = "codex"
)

// Rules lists all rules, those of Claude Code first.
func Rules() []Rule {
	return slices.Concat(claudeLineRules[:], claudeTreeRules[:], claudeMessageRules[:], claudePairRules[:], claudePlaceRules[:],
		codexLineRules[:], codexMetaRules[:], codexItemRules[:], codexPairRules[:], codexPlaceRules[:])
}

// catalog finds rules by id.
type catalog map[string]*Rule

func newCatalog() catalog {
	rules := Rules()
	c := make(catalog, len(rules))
	for i := range rules {
		c[rules[i].ID] = &rules[i]
	}
	return c
}

// The two pinned clients with which rules were tried.
const (
	cc = "Claude Code 2.1.332"
	cx = "Codex 0.171.0"
)
