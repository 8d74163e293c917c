package check

import (
	"encoding/json"
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Finding is one defect of a file.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Effect   Effect   `json:"effect"`
	// Line of the file, from 1; 0 if the finding is about the whole file.
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// Share is how much of a session its client reaches.
type Share struct {
	// Chain counts the messages from which the client continues; those before a
	// compaction count, since their summary stands for them.
	Chain int
	// All counts the messages of the file without sidechains. The messages of
	// branches that were left on purpose are among them.
	All int
}

// Ratio is Chain by All; 1 for a file without messages.
func (s Share) Ratio() float64 {
	if s.All == 0 {
		return 1
	}
	return float64(s.Chain) / float64(s.All)
}

// MarshalJSON writes both counts and the ratio.
func (s Share) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"chain":%d,"all":%d,"share":%.4f}`, s.Chain, s.All, s.Ratio()), nil
}

// Report is what [Check] found.
type Report struct {
	Agent string `json:"agent"`
	Path  string `json:"path"`
	// Records counts the records that can be read.
	Records int `json:"records"`
	// Read tells how far the file was read.
	Read      canon.Extent `json:"read"`
	Reachable Share        `json:"reachable"`
	// Findings in the order of the file's lines; those about the whole file
	// come first.
	Findings []Finding `json:"findings"`
	// Omitted counts the findings of a rule that are not listed, see
	// [Options.MaxPerRule].
	Omitted map[string]int `json:"omitted,omitempty"`
}

// Verdict answers "will it resume?".
type Verdict string

// The verdicts.
const (
	// VerdictResumes: the client opens the session and all readable history of the
	// active branch reaches the model.
	VerdictResumes Verdict = "resumes"
	// VerdictLosesHistory: the client opens the session without a part of it.
	VerdictLosesHistory Verdict = "loses-history"
	// VerdictRefused: the client does not open the session, or the vendor's API
	// refuses what the client sends.
	VerdictRefused Verdict = "refused"
)

// Resumes returns the verdict on the file.
func (r *Report) Resumes() Verdict {
	v := VerdictResumes
	for _, f := range r.Findings {
		switch f.Effect {
		case Refused, VendorRefuses:
			return VerdictRefused
		case HistoryLost:
			v = VerdictLosesHistory
		case PartLost, Unlisted, Harmless:
		}
	}
	return v
}

// Count returns the number of findings of a severity, listed or not.
func (r *Report) Count(s Severity) int {
	n := 0
	listed := make(map[string]bool)
	for _, f := range r.Findings {
		if f.Severity != s {
			continue
		}
		n++
		if !listed[f.Rule] {
			listed[f.Rule] = true
			n += r.Omitted[f.Rule]
		}
	}
	return n
}

// MarshalJSON adds the verdict.
func (r *Report) MarshalJSON() ([]byte, error) {
	type plain Report
	p := plain(*r)
	if p.Findings == nil {
		p.Findings = []Finding{}
	}
	return json.Marshal(struct {
		*plain
		Verdict Verdict `json:"verdict"`
	}{&p, r.Resumes()})
}
