package handoff

import (
	"errors"
	"fmt"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// Version is the program's version, as written into sessions.
const Version = "0.1.0-dev"

// Options are the choices that every hand-over has.
type Options struct {
	// View is [agent.ModelView] by default.
	View agent.View
	// Branch is the id of a record on the branch to hand over.
	Branch string
	// Turns keeps only the last turns of that number; 0 keeps all.
	Turns int
	// SkipSystem drops system and developer text instead of carrying it.
	SkipSystem bool
	// KeepInstructions carries the project's own instructions, unless the target
	// reads the files they come from.
	KeepInstructions bool
	// Redact masks likely secrets.
	Redact bool
	// DeepSecrets looks for secrets without a known shape, too; Redact implies it.
	DeepSecrets bool
	// Lineage is the key of the placeholders that masking puts in: the same
	// secret has the same one in all hand-overs with the same key. It has at
	// least 16 bytes, see [Desk.LineageKey]; nil makes one for this hand-over.
	Lineage []byte
	// Map replaces directories, in the session's own and in tool inputs.
	Map []Mapping
	// Model to name in the target, if it insists on one.
	Model string
	// ID of the new session; empty makes a fresh one.
	ID string
	// Now is the time of the hand-over; zero is the current time.
	Now time.Time
	// Home is where the agents keep their files.
	Home agent.Home
	// HereDir is the directory of a session that does not say in which it
	// worked.
	HereDir string
	// Dir replaces the session's directory, if not empty.
	Dir string
	// Handoff is the id of the hand-over in the journal.
	Handoff string
	// Folder is where Convert writes, under the name that the target gives,
	// when it is given no path; empty is the target's home.
	Folder string
	// Scratch is a folder to write in instead of the target's home, for a dry
	// run.
	Scratch string
	// Progress is told how far the source has been read; may be nil.
	Progress func(done, size int64)
	// Confirm is asked once everything is written and checked, and before it
	// gets its name. An error from it undoes the hand-over and is returned.
	Confirm func(*Result) error
	// File are options for the writer of the target's file.
	File []atomicfile.Option
}

func (o *Options) confirm(res *Result) error {
	if o.Confirm == nil {
		return nil
	}
	return o.Confirm(res)
}

// handoffID returns a fresh id for a hand-over; one that is the same every time
// if the new session's id is given, so that all that is written is.
func (o *Options) handoffID(source string) string {
	if o.ID == "" {
		return uuid.New(o.Now)
	}
	return uuid.DeriveAt(o.Now, []byte(source+" "+o.ID))
}

// Mapping replaces the directory Old by New.
type Mapping struct{ Old, New string }

// ErrRefused is matched by the errors of refusals by policy.
var ErrRefused = errors.New("refused")

// refusal is an error that matches [ErrRefused].
type refusal string

func (r refusal) Error() string      { return string(r) }
func (refusal) Is(target error) bool { return target == ErrRefused }

func refusef(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// Result tells what a hand-over did.
type Result struct {
	Source Endpoint     `json:"source"`
	Target Endpoint     `json:"target"`
	Resume *Resume      `json:"resume,omitempty"`
	Report canon.Report `json:"report"`
	// Handoff is the id of the hand-over in the journal, if it has one.
	Handoff string `json:"handoff,omitempty"`
	// Again says that the same hand-over was made before and is returned.
	Again bool `json:"again,omitempty"`
	// NothingNew says that there was nothing to bring back: Target is the session
	// to go on in.
	NothingNew bool `json:"nothing_new,omitempty"`
	// Base is the session that a pull copied and added to.
	Base *Endpoint `json:"base,omitempty"`
	// MovedOn says that the original has changed since it was handed over.
	MovedOn bool `json:"moved_on,omitempty"`
	// OtherBranch says that another branch of the original is active than the one
	// that was handed over, which what was added follows.
	OtherBranch bool `json:"other_branch,omitempty"`
	// GitThen and GitNow are the repository's states at the hand-over and now,
	// if they differ.
	GitThen *canon.Git `json:"git_then,omitempty"`
	GitNow  *canon.Git `json:"git_now,omitempty"`
	// Thread is the source's header.
	Thread canon.Thread `json:"-"`
	// Turns is how many turns were handed over.
	Turns int `json:"-"`
	// Unmapped are the mappings that replaced nothing.
	Unmapped []Mapping `json:"-"`
	// Written is the target's file.
	Written *agent.Written `json:"-"`
	// extent is how far the source went.
	extent agent.Extent

	published bool // the target has its name
}

// Endpoint is one side of a hand-over.
type Endpoint struct {
	Agent string `json:"agent"`
	ID    string `json:"id"`
	Path  string `json:"path"`
}

// Resume is how the target is continued.
type Resume struct {
	Dir  string   `json:"cwd"`
	Argv []string `json:"argv"`
	// Env is what the environment must have beside its own, if anything.
	Env map[string]string `json:"env,omitempty"`
}
