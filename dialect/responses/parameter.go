package responses

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

const (
	// minOutput is the least limit of output tokens that the API takes
	// (earendil-works/pi#6265).
	minOutput = 16
	// maxName is the greatest length of the name of a format, and maxKey that of a
	// caller's id and of a cache key (earendil-works/pi#4720), in bytes.
	maxName, maxKey = 64, 64
	// formatName is the name of a format that has none: the API insists on one.
	formatName = "answer"
)

// within returns the inner name of a member of this dialect that is one of an
// object within, by the prefix of that.
func within(e *canon.Ext, m canon.Member, prefix string) (inner string, ok bool) {
	if e.Dialect != Name {
		return "", false
	}
	return strings.CutPrefix(m.Name, prefix)
}

// object writes the members that write writes, and those of the request's own that
// have the prefix, as an object called name; nothing if there is none.
func (e *requestEncoder) object(name string, write func()) {
	start := len(e.dst)
	e.raw(`,"` + name + `":{`)
	open := len(e.dst)
	write()
	for _, m := range e.q.Ext.Members {
		if inner, ok := within(&e.q.Ext, m, name+"."); ok {
			e.member(inner, m.Value)
		}
	}
	if len(e.dst) == open {
		e.dst = e.dst[:start]
		return
	}
	e.dst = append(e.dst[:open], e.dst[open+1:]...) // without the first comma
	e.raw("}")
}

// reasoning writes how much the model is to think.
func (e *requestEncoder) reasoning() {
	q := &e.q.Reasoning
	effort := q.Effort
	switch {
	case q.Mode == canon.ReasoningOff || effort == canon.EffortNone:
		effort = canon.EffortNone
	case q.Budget > 0 && effort == canon.EffortUnset:
		effort = canon.EffortOf(q.Budget)
		e.lose("budget", canon.Downgraded, "the protocol has efforts instead")
	case q.Budget > 0:
		e.lose("budget", canon.Dropped, "the protocol has efforts instead")
	case effort == canon.EffortUnset && q.Mode == canon.ReasoningOn:
		effort = canon.EffortMedium
		e.lose("effort", canon.Synthesized, "models that do not think unless they are told have to be told how much")
	case effort != canon.EffortUnset && q.Mode == canon.ReasoningUnset:
		e.lose("reasoning", canon.Synthesized, "a model that is given an effort thinks")
	}
	if effort != canon.EffortUnset && e.t.Efforts != nil {
		if now := effort.Nearest(e.t.Efforts); now != effort {
			e.lose("effort", canon.Downgraded, "the model takes no effort "+strconv.Quote(string(effort)))
			effort = now
		}
	}
	e.object("reasoning", func() {
		if effort != canon.EffortUnset {
			e.raw(`,"effort":`)
			e.quote(string(effort))
		}
		own := e.q.Ext.Dialect == Name && e.q.Ext.Get(summaryName) != nil
		if q.Show == canon.ShowSummary && !own {
			e.raw(`,"summary":` + summaryAuto)
		}
	})
}

// text writes the form of the answer.
func (e *requestEncoder) text() {
	f := &e.q.Format
	e.object("text", func() {
		switch f.Kind {
		case canon.FormatText:
			return
		case canon.FormatJSON:
			e.raw(`,"format":{"type":"json_object"}`)
			return
		case canon.FormatSchema:
		}
		name := cmp.Or(f.Name, formatName)
		if f.Name == "" {
			e.lose("format name", canon.Synthesized, "the API insists on a name of the format")
		}
		if legal := canon.LegalID(name, canon.Grammar{Max: maxName, Extra: "_-"}); legal != name {
			e.lose("format name", canon.Renamed, "the API refuses the name")
			name = legal
		}
		e.raw(`,"format":{"type":"json_schema","name":`)
		e.quote(name)
		if !f.Description.IsEmpty() {
			e.raw(`,"description":`)
			e.dst = f.Description.AppendQuoted(e.dst)
		}
		e.member("schema", f.Schema)
		if f.Strict != canon.FlagUnset {
			e.raw(`,"strict":` + strconv.FormatBool(f.Strict == canon.FlagOn))
		}
		e.raw("}")
	})
}

// rest writes the other parameters.
func (e *requestEncoder) rest() {
	e.limit()
	e.sampling()
	if len(e.q.Stop) > 0 {
		e.lose("stop", canon.Dropped, "the protocol has no stop sequences")
	}
	e.id("prompt_cache_key", "cache key", e.q.CacheKey)
	e.id("safety_identifier", "user", e.q.User)
	if e.converted {
		// The other protocols keep nothing, so this is what their requests say; and what
		// the vendor does not keep has to come back sealed.
		e.raw(`,"store":false,"include":["reasoning.encrypted_content"]`)
	}
	dialect.Leave(&e.q.Ext, Name, e.r)
	if e.q.Ext.Dialect != Name {
		return
	}
	for _, m := range e.q.Ext.Members {
		switch outer, _, nested := strings.Cut(m.Name, "."); {
		case nested && (outer == "reasoning" || outer == "text"): // is written
		case nested && outer == additionalTools:
			e.lose(m.Name, canon.Dropped, "the tools are declared with the others")
		default:
			e.member(m.Name, m.Value)
		}
	}
}

// limit writes the limit of output tokens.
func (e *requestEncoder) limit() {
	limit := e.t.Limit(e.q, e.r)
	if limit == 0 {
		return
	}
	if limit < minOutput {
		limit = minOutput
		e.lose("max_tokens", canon.Downgraded, "the API takes no limit below 16 tokens")
	}
	e.raw(`,"max_output_tokens":`)
	e.dst = strconv.AppendInt(e.dst, limit, 10)
}

func (e *requestEncoder) sampling() {
	s := &e.q.Sampling
	for _, x := range []struct {
		name    string
		value   canon.Raw
		written bool
	}{
		{"temperature", s.Temperature, true},
		{"top_p", s.TopP, true},
		{"top_k", s.TopK, false},
		{"seed", s.Seed, false},
		{"frequency_penalty", s.FrequencyPenalty, false},
		{"presence_penalty", s.PresencePenalty, false},
	} {
		switch {
		case x.value == nil:
		case x.written:
			e.member(x.name, x.value)
		default:
			e.lose(x.name, canon.Dropped, "the protocol has none")
		}
	}
}

// id writes an id of the caller's, or what stands for it if it is too long.
func (e *requestEncoder) id(name, what string, id canon.Text) {
	if id.IsEmpty() {
		return
	}
	if s := id.String(); len(s) > maxKey {
		sum := sha256.Sum256([]byte(s))
		id = canon.NewText(hex.EncodeToString(sum[:]))
		e.lose(what, canon.Renamed, "the API takes no more than 64 bytes: a hash stands for it")
	}
	e.raw(`,"` + name + `":`)
	e.dst = id.AppendQuoted(e.dst)
}

// quoted returns t as a JSON value.
func quoted(t canon.Text) canon.Raw { return canon.Raw(t.AppendQuoted(nil)) }
