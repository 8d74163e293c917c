package canon

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// CountKind is a kind that a [Report] counts: the block kinds and those below.
type CountKind string

// What a report counts beside block kinds.
const (
	CountMessage           CountKind = "message"
	CountReasoningRedacted CountKind = "reasoning-redacted"
	CountScaffolding       CountKind = "scaffolding"
	CountSidechain         CountKind = "sidechain"
)

// Action is what happened to something that did not come through as it was.
type Action string

// The actions.
const (
	Dropped     Action = "dropped"
	Downgraded  Action = "downgraded"
	Synthesized Action = "synthesized"
	Moved       Action = "moved"
	Renamed     Action = "renamed"
)

// Loss is one thing that did not come through a conversion as it was.
type Loss struct {
	// Where is the place in the source, such as "line 118".
	Where string `json:"where,omitempty"`
	// What it was: a count kind, or a field name.
	What   string `json:"what"`
	Action Action `json:"action"`
	Why    string `json:"why"`
}

// Counts holds a number per kind.
type Counts map[CountKind]int

// Report accounts for everything a conversion met. Per kind,
//
//	ingested + synthesized = emitted + dropped.
//
// A block that changes its kind is dropped in the old and synthesized in the
// new one, with a single [Downgraded] loss. The zero value is ready to use.
type Report struct {
	// Read tells how far the source was read.
	Read        Extent `json:"read"`
	Ingested    Counts `json:"ingested"`
	Synthesized Counts `json:"synthesized"`
	Emitted     Counts `json:"emitted"`
	Dropped     Counts `json:"dropped"`
	// Scaffolding counts what was dropped as scaffolding by its tag.
	Scaffolding map[string]int `json:"scaffolding,omitempty"`
	// Models counts the answers that were read by the model that gave them.
	Models map[string]int `json:"models,omitempty"`
	// Losses lists what was lost, at most [MaxLosses] of one kind, action and
	// reason and [MaxListed] in all; Omitted counts the rest of each.
	Losses  []Loss    `json:"losses"`
	Omitted []Omitted `json:"losses_omitted,omitempty"`
	// Damage lists the damaged places of the source, at most [MaxListed].
	Damage []Damage `json:"damage,omitempty"`
	// Notes counts what is worth saying and no loss.
	Notes map[string]int `json:"notes"`
	// Tokens estimates what the emitted messages cost as input.
	Tokens int `json:"tokens"`
	// Secrets lists likely secrets by rule and place, never by value: at most
	// [MaxListed]; SecretsOmitted counts the rest.
	Secrets        []Secret `json:"secrets"`
	SecretsOmitted int      `json:"secrets_omitted,omitempty"`

	repeats map[Loss]*repeat
}

// Omitted counts losses that are not listed: they differ from those that are in
// nothing but their place.
type Omitted struct {
	What   string `json:"what"`
	Action Action `json:"action,omitempty"`
	Why    string `json:"why,omitempty"`
	Count  int    `json:"count"`
}

// Damage is a damaged place of the source that was survived.
type Damage struct {
	Where string `json:"where"`
	// Kind says what is wrong there, such as "bom" or "cut".
	Kind string `json:"kind"`
}

// repeat counts losses that differ in nothing but their place.
type repeat struct {
	listed  int
	omitted int // where in Report.Omitted they are counted, from 1
}

// Extent is how far a file was read.
type Extent struct {
	// Lines and Bytes are those of whole records. A file that grows meanwhile is
	// read as far as it went when it was opened.
	Lines int   `json:"lines"`
	Bytes int64 `json:"bytes"`
	// Torn is how many bytes follow them: a last line that breaks off, as it does
	// while it is written.
	Torn int64 `json:"torn,omitempty"`
}

// Size is how long the file was.
func (e Extent) Size() int64 { return e.Bytes + e.Torn }

// Secret is a likely secret that was met.
type Secret struct {
	Rule  string `json:"rule"`
	Where string `json:"where"`
}

// A report lists few of the losses that differ in nothing but their place, so
// that the others are seen, and no more than MaxListed, so that it stays bounded
// at any size of session.
const (
	MaxLosses = 50
	MaxListed = 1000
)

func (c *Counts) add(k CountKind, n int) {
	if n == 0 {
		return
	}
	if *c == nil {
		*c = make(Counts)
	}
	(*c)[k] += n
}

// Ingest counts m and its blocks as read.
func (r *Report) Ingest(m *Message) {
	tally(&r.Ingested, m)
	if m.Role == Assistant && m.Model != "" {
		countName(&r.Models, m.Model, 1)
	}
}

// countName adds n to the count of a name; of more than MaxListed names the rest
// are one.
func countName(c *map[string]int, name string, n int) {
	if *c == nil {
		*c = make(map[string]int)
	}
	if _, ok := (*c)[name]; !ok && len(*c) >= MaxListed {
		name = otherNames
	}
	(*c)[name] += n
}

// otherNames stands for the names that are too many to be kept.
const otherNames = "(others)"

// Emit counts m and its blocks as written.
func (r *Report) Emit(m *Message) { tally(&r.Emitted, m) }

// Synthesize counts m and its blocks as made.
func (r *Report) Synthesize(m *Message, why string) {
	tally(&r.Synthesized, m)
	r.loseAt(m, Loss{What: string(headline(m)), Action: Synthesized, Why: why})
}

// SynthesizeBlock counts one block, with all it holds, as made.
func (r *Report) SynthesizeBlock(m *Message, b Block, why string) {
	countBlock(&r.Synthesized, b)
	r.loseAt(m, Loss{What: string(countKind(b)), Action: Synthesized, Why: why})
}

// SynthesizeMessage counts m itself, without its blocks, as made: scaffolding
// that becomes a message.
func (r *Report) SynthesizeMessage(m *Message) {
	r.Synthesized.add(CountMessage, 1)
	r.loseAt(m, Loss{What: string(CountMessage), Action: Synthesized, Why: "scaffolding becomes a message"})
}

// Drop counts m and all its blocks as left out, as one loss.
func (r *Report) Drop(m *Message, why string) {
	tally(&r.Dropped, m)
	for _, b := range m.Blocks {
		r.dropTag(b)
	}
	r.loseAt(m, Loss{What: string(headline(m)), Action: Dropped, Why: why})
}

// DropBlock counts one block of m, with all it holds, as left out.
func (r *Report) DropBlock(m *Message, b Block, why string) {
	countBlock(&r.Dropped, b)
	r.dropTag(b)
	r.loseAt(m, Loss{What: string(countKind(b)), Action: Dropped, Why: why})
}

func (r *Report) dropTag(b Block) {
	if tag := b.Meta().Tag; tag != "" {
		countName(&r.Scaffolding, tag, 1)
	}
}

// Replace accounts for the blocks of m that an old block is turned into.
func (r *Report) Replace(m *Message, old Block, replaced []Block, why string) {
	was, now := make(Counts), make(Counts)
	countBlock(&was, old)
	for _, b := range replaced {
		countBlock(&now, b)
	}
	for k, n := range was {
		if d := n - now[k]; d > 0 {
			r.Dropped.add(k, d)
		}
	}
	for k, n := range now {
		if d := n - was[k]; d > 0 {
			r.Synthesized.add(k, d)
		}
	}
	r.loseAt(m, Loss{What: string(countKind(old)), Action: Downgraded, Why: why})
}

// DropUnread counts n things of kind k that were met and left unread, such as
// sidechains.
func (r *Report) DropUnread(k CountKind, n int, where, why string) {
	r.Ingested.add(k, n)
	r.Dropped.add(k, n)
	for range n {
		r.Lose(Loss{Where: where, What: string(k), Action: Dropped, Why: why})
	}
}

// Change lists something of m, by its kind or its field's name, that did not come
// through as it was and counts as before.
func (r *Report) Change(m *Message, what string, a Action, why string) {
	r.loseAt(m, Loss{What: what, Action: a, Why: why})
}

// Lose lists a loss, or counts it if there are too many like it.
func (r *Report) Lose(l Loss) {
	where := l.Where
	l.Where = ""
	if listed := r.lose(l); listed != nil {
		listed.Where = where
	}
}

// loseAt is Lose for a loss at the place of m.
func (r *Report) loseAt(m *Message, l Loss) {
	if listed := r.lose(l); listed != nil {
		listed.Where = m.Where()
	}
}

// lose returns the loss in the list, for its place to be filled in, or nil if it
// was counted.
func (r *Report) lose(l Loss) *Loss {
	rep := r.repeats[l]
	if rep == nil {
		if len(r.repeats) >= 2*MaxListed {
			l = Loss{What: otherNames}
			rep = r.repeats[l]
		}
		if rep == nil {
			rep = new(repeat)
			if r.repeats == nil {
				r.repeats = make(map[Loss]*repeat)
			}
			r.repeats[l] = rep
		}
	}
	if rep.listed < MaxLosses && len(r.Losses) < MaxListed {
		rep.listed++
		r.Losses = append(r.Losses, l)
		return &r.Losses[len(r.Losses)-1]
	}
	if rep.omitted == 0 {
		r.Omitted = append(r.Omitted, Omitted{What: l.What, Action: l.Action, Why: l.Why})
		rep.omitted = len(r.Omitted)
	}
	r.Omitted[rep.omitted-1].Count++
	return nil
}

// Damaged lists a damaged place.
func (r *Report) Damaged(where, kind string) {
	if len(r.Damage) < MaxListed {
		r.Damage = append(r.Damage, Damage{Where: where, Kind: kind})
	}
}

// AddSecret lists a likely secret.
func (r *Report) AddSecret(s Secret) {
	if len(r.Secrets) >= MaxListed {
		r.SecretsOmitted++
		return
	}
	r.Secrets = append(r.Secrets, s)
}

// Note adds n to the note called name.
func (r *Report) Note(name string, n int) {
	if n == 0 {
		return
	}
	if r.Notes == nil {
		r.Notes = make(map[string]int)
	}
	r.Notes[name] += n
}

// Balance returns an error that names each kind whose equation does not hold,
// and each dropped kind that was never ingested or made.
func (r *Report) Balance() error {
	kinds := make(map[CountKind]bool)
	for _, c := range []Counts{r.Ingested, r.Synthesized, r.Emitted, r.Dropped} {
		for k := range c {
			kinds[k] = true
		}
	}
	var errs []error
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		in, made, out, lost := r.Ingested[k], r.Synthesized[k], r.Emitted[k], r.Dropped[k]
		if in+made != out+lost {
			errs = append(errs, fmt.Errorf("report does not balance: %s: %d ingested + %d synthesized, %d emitted + %d dropped",
				k, in, made, out, lost))
		}
		if lost > 0 && in+made == 0 {
			errs = append(errs, fmt.Errorf("report drops %s that was never read", k))
		}
	}
	return errors.Join(errs...)
}

// MarshalJSON writes every counter, empty ones as {}, and the losses in order.
func (r *Report) MarshalJSON() ([]byte, error) {
	type plain Report
	p := plain(*r)
	for _, c := range []*Counts{&p.Ingested, &p.Synthesized, &p.Emitted, &p.Dropped} {
		if *c == nil {
			*c = Counts{}
		}
	}
	if p.Losses == nil {
		p.Losses = []Loss{}
	}
	if p.Secrets == nil {
		p.Secrets = []Secret{}
	}
	if p.Notes == nil {
		p.Notes = map[string]int{}
	}
	return json.Marshal(p)
}

// Where names the message's place in its source file.
func (m *Message) Where() string {
	where := Place(m.Line)
	if where != "" && m.File != "" {
		where += " of " + m.File
	}
	return where
}

// Place names a line of a source file; "" for 0.
func Place(line int) string {
	if line == 0 {
		return ""
	}
	return "line " + strconv.Itoa(line)
}

// tally counts m with its blocks; a message of scaffolding alone is no message.
func tally(c *Counts, m *Message) {
	if !m.IsScaffolding() {
		c.add(CountMessage, 1)
	}
	for _, b := range m.Blocks {
		countBlock(c, b)
	}
}

// countBlock counts b; of a tool result's content it counts what is not text.
func countBlock(c *Counts, b Block) {
	c.add(countKind(b), 1)
	if r, ok := b.(*ToolResultBlock); ok {
		for _, inner := range r.Content {
			if inner.Kind() != KindText {
				countBlock(c, inner)
			}
		}
	}
}

func countKind(b Block) CountKind {
	if b.Meta().Tag != "" {
		return CountScaffolding
	}
	if r, ok := b.(*ReasoningBlock); ok && r.Redacted {
		return CountReasoningRedacted
	}
	return CountKind(b.Kind())
}

// headline is the kind under which the loss of a whole message is listed.
func headline(m *Message) CountKind {
	switch {
	case m.IsScaffolding():
		return CountScaffolding
	case len(m.Blocks) == 1:
		return countKind(m.Blocks[0])
	}
	return CountMessage
}
