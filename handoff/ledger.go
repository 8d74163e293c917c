package handoff

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/journal"
)

// The kinds of journal record.
const (
	kindHandoff = "handoff"
	kindUndo    = "undo"
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
	// Dir is the directory that the target works in.
	Dir   string    `json:"cwd"`
	Title string    `json:"title,omitempty"`
	Git   canon.Git `json:"git,omitzero"`
	// Request is the digest of what was asked: the same hand-over twice has the
	// same.
	Request string `json:"request"`
	Version string `json:"version"`
	Turns   int    `json:"turns"`
	// Folders were made for the target; undo removes them if they are empty.
	Folders []string `json:"folders,omitempty"`
	// Side is a folder of files that was made beside the target.
	Side   string `json:"side,omitempty"`
	Undone bool   `json:"-"`
}

// End is one side of a hand-over as it was then.
type End struct {
	Agent string `json:"agent"`
	ID    string `json:"id"`
	Path  string `json:"path"`
	Size  int64  `json:"size"`
	// Client is the version of the agent that wrote the source last.
	Client string `json:"client,omitempty"`
	// Blocks is the number of links of the chain, Chain its last link.
	Blocks int    `json:"blocks,omitempty"`
	Chain  string `json:"chain,omitempty"`
}

type undone struct {
	Handoff string `json:"handoff"`
}

// Handoffs returns all hand-overs, oldest first. Lines of the journal that
// cannot be read are passed over.
func (d *Desk) Handoffs(ctx context.Context) ([]*Handoff, error) {
	j, err := d.ledger()
	if err != nil {
		return nil, err
	}
	var all []*Handoff
	byID := make(map[string]*Handoff)
	for rec, err := range j.Records(ctx) {
		var torn *journal.LineError
		switch {
		case errors.As(err, &torn):
			continue
		case err != nil:
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		switch rec.Kind {
		case kindHandoff:
			h := new(Handoff)
			if rec.Decode(h) != nil {
				continue
			}
			h.Time = rec.Time
			all = append(all, h)
			byID[h.ID] = h
		case kindUndo:
			var u undone
			if rec.Decode(&u) == nil && byID[u.Handoff] != nil {
				byID[u.Handoff].Undone = true
			}
		}
	}
	return all, nil
}

// handed are the hand-overs that were not undone, by the path of their target.
type handed map[string]*Handoff

// comesFrom reports whether e was handed over from the agent id and has grown
// since.
func (m handed) comesFrom(e *agent.Entry, id string) bool {
	h := m[e.Path]
	return h != nil && h.Source.Agent == id && h.Target.Size != e.Size
}

func (d *Desk) handed(ctx context.Context) (handed, error) {
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	m := make(handed)
	for _, h := range all {
		if !h.Undone {
			m[h.Target.Path] = h
		}
	}
	return m, nil
}

// handoffDir is where what belongs to one hand-over is kept.
func (d *Desk) handoffDir(id string) string { return filepath.Join(d.State, "handoff", id) }

// keptTarget is the name under which the bytes of a target are kept.
const keptTarget = "target.jsonl"

// keep stores the digest chain and the bytes of the target, so that what the
// target's client may lose is not lost.
func (d *Desk) keep(h *Handoff, w *agent.Written) error {
	dir := d.handoffDir(h.ID)
	links := make([]byte, 0, len(w.Links)*len(canon.Link{}))
	for _, l := range w.Links {
		links = append(links, l[:]...)
	}
	if err := atomicfile.CreateFile(filepath.Join(dir, "links"), links, 0o600); err != nil {
		return err
	}
	return copyFile(h.Target.Path, filepath.Join(dir, keptTarget))
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	w, err := atomicfile.Create(to, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if _, err := io.Copy(w, in); err != nil {
		return err
	}
	return w.Commit()
}

// record writes h to the journal.
func (d *Desk) record(ctx context.Context, h *Handoff) error {
	j, err := d.ledger()
	if err != nil {
		return err
	}
	return j.Append(ctx, kindHandoff, h)
}

// requestDigest tells two requests for the same hand-over.
func requestDigest(e *agent.Entry, target string, o *Options) (string, error) {
	asked := struct {
		Agent, ID, Path, Target string
		Size                    int64
		Modified                time.Time
		View                    agent.View
		Branch                  string
		Turns                   int
		Skip, Redact, Keep      bool
		Map                     []Mapping
		Model, NewID, Dir       string
	}{e.Agent, e.ID, e.Path, target, e.Size, e.Modified, o.View, o.Branch, o.Turns, o.SkipSystem, o.Redact, o.KeepInstructions, o.Map, o.Model, o.ID, o.Dir}
	if e.Dir == "" && o.Dir == "" {
		asked.Dir = o.HereDir
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}
