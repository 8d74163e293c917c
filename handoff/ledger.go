package handoff

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/journal"
)

// The kinds of journal record.
const (
	kindHandoff    = "handoff"
	kindFailed     = "failed" // the target did not get its name
	kindUndo       = "undo"
	kindUndoFailed = "undo-failed" // the target could not be removed
)

// Op is a kind of hand-over.
type Op string

// The kinds.
const (
	OpTo   Op = "to"
	OpPull Op = "pull"
)

// Handoff is the journal's memory of one hand-over.
type Handoff struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"-"`
	Op     Op        `json:"op"`
	Source End       `json:"source"`
	Target End       `json:"target"`
	// Base is the session that a pull copied and added to.
	Base string `json:"base,omitempty"`
	// Dir is the directory that the target works in, From that of the source if
	// it is another.
	Dir   string    `json:"cwd"`
	From  string    `json:"from_cwd,omitempty"`
	Title string    `json:"title,omitempty"`
	Git   canon.Git `json:"git,omitzero"`
	// Request is the digest of what was asked: the same hand-over twice has the
	// same.
	Request string `json:"request"`
	// Asked is the digest of what was asked for, without how the source was then.
	Asked   string `json:"asked,omitempty"`
	Version string `json:"version"`
	Turns   int    `json:"turns"`
	// Folders were made for the target; undo removes them if they are empty.
	Folders []string `json:"folders,omitempty"`
	// Side is a folder of files that was made beside the target.
	Side string `json:"side,omitempty"`
	// Partial says that a pull left out some of what was added, as it was asked to.
	Partial bool `json:"partial,omitempty"`
	Undone  bool `json:"-"`
}

// SourceDir is the directory that the source works in.
func (h *Handoff) SourceDir() string { return cmp.Or(h.From, h.Dir) }

// End is one side of a hand-over as it was then.
type End struct {
	Agent string `json:"agent"`
	ID    string `json:"id"`
	Path  string `json:"path"`
	// Size is that of the file, packed if it was.
	Size int64 `json:"size"`
	// Extent is how far the session went.
	agent.Extent
	// Client is the version of the agent that wrote the source last.
	Client string `json:"client,omitempty"`
	// Blocks is the number of links of the chain, Chain its last link.
	Blocks int    `json:"blocks,omitempty"`
	Chain  string `json:"chain,omitempty"`
}

// mention is a record about a hand-over.
type mention struct {
	Handoff string `json:"handoff"`
}

// Handoffs returns all hand-overs, oldest first. Lines of the journal that
// cannot be read are passed over.
func (d *Desk) Handoffs(ctx context.Context) ([]*Handoff, error) {
	all, _, err := d.read(ctx)
	return all, err
}

// Damage returns an error for each line of the journal that cannot be read:
// hand-overs may be missing.
func (d *Desk) Damage(ctx context.Context) []error {
	_, damage, _ := d.read(ctx) // another error is met by whoever asks for them
	return damage
}

// read returns all hand-overs, and what could not be read.
func (d *Desk) read(ctx context.Context) (all []*Handoff, damage []error, err error) {
	j, err := d.ledger()
	if err != nil {
		return nil, nil, err
	}
	var found ledger
	for rec, err := range j.Records(ctx) {
		var damaged *journal.LineError
		switch {
		case errors.As(err, &damaged):
			damage = append(damage, damaged)
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("read the journal: %w", err)
		}
		if err := found.add(&rec); err != nil {
			damage = append(damage, fmt.Errorf("read the journal, line %d of %q: %w", rec.Position.Line, rec.Position.Segment, err))
		}
	}
	all = slices.DeleteFunc(found.all, func(h *Handoff) bool { return h == nil })
	for _, h := range all {
		h.Title = d.conceal(h.Title) // an earlier version kept it as it was
	}
	return all, damage, nil
}

// ledger collects the hand-overs that a journal tells of.
type ledger struct {
	all []*Handoff // nil for what is no more
	at  map[string]int
}

// add takes in one record.
func (l *ledger) add(rec *journal.Record) error {
	if rec.Kind == kindHandoff {
		h := &Handoff{Time: rec.Time}
		if err := rec.Decode(h); err != nil {
			return err
		}
		l.drop(h.ID) // one that was killed is made again with the same id, if that is given
		if l.at == nil {
			l.at = make(map[string]int)
		}
		l.at[h.ID] = len(l.all)
		l.all = append(l.all, h)
		return nil
	}
	var m mention
	if err := rec.Decode(&m); err != nil {
		return err
	}
	i, ok := l.at[m.Handoff]
	switch {
	case !ok:
	case rec.Kind == kindFailed:
		l.drop(m.Handoff)
	case rec.Kind == kindUndo, rec.Kind == kindUndoFailed:
		l.all[i].Undone = rec.Kind == kindUndo
	}
	return nil
}

func (l *ledger) drop(id string) {
	if i, ok := l.at[id]; ok {
		l.all[i] = nil
		delete(l.at, id)
	}
}

// digests tell two requests for the same hand-over: request with how the source
// is, asked without.
func digests(e *agent.Entry, target string, o *Options) (request, asked string, err error) {
	what := struct {
		Agent, ID, Target  string
		View               agent.View
		Branch             string
		Turns              int
		Skip, Redact, Keep bool
		Map                []Mapping
		Model, Dir         string
	}{e.Agent, e.ID, target, o.View, o.Branch, o.Turns, o.SkipSystem, o.Redact, o.KeepInstructions, o.Map, o.Model, o.Dir}
	if e.Dir == "" && o.Dir == "" {
		what.Dir = o.HereDir
	}
	text, err := json.Marshal(what)
	if err != nil {
		return "", "", err
	}
	state := fmt.Appendf(text, " %q %d %d", e.Path, e.Size, e.Modified.UnixNano())
	return shortSum(state), shortSum(text), nil
}

func shortSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
