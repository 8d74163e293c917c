package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// Agent reads one coding agent's sessions.
type Agent interface {
	Manifest() (*Manifest, error)
	// Sessions lists the sessions in home, in no particular order. An error
	// beside a zero Entry concerns one file or folder; the listing goes on.
	Sessions(ctx context.Context, home Home, q Query) iter.Seq2[Entry, error]
	// Open reads the session file at path. The error for a file that this
	// agent did not write matches ErrForeign, that for one without any message
	// ErrNoConversation.
	Open(ctx context.Context, path string, o OpenOptions) (Session, error)
}

// Writer is an Agent that sessions can be handed to.
type Writer interface {
	Agent
	// Write writes t with msgs as a new session. Nothing is left behind when
	// it fails. The error for a path that is taken matches fs.ErrExist, that
	// for messages of which nothing can be written ErrNoConversation, and that
	// for a file that does not read back ErrReread.
	Write(ctx context.Context, t canon.Thread, msgs canon.Messages, o WriteOptions) (*Written, error)
}

// Errors that the errors of Open match.
var (
	ErrForeign        = errors.New("not a session of this agent")
	ErrNoConversation = errors.New("holds no conversation")
	ErrUnknownBranch  = errors.New("no record has this id")
	// ErrNotResumed is matched by the error of a Merge into a session that its
	// client does not resume, so that a copy would be of no use.
	ErrNotResumed = errors.New("a copy of it would not be resumed")
)

// ForeignError says whose file it is instead.
type ForeignError struct {
	Path string
	// Want is the id of the agent that was asked to read the file; empty if any was.
	Want string
	// Got is the id of the agent that writes such files, or the name of one
	// without an adapter; empty if unknown.
	Got string
}

func (e *ForeignError) Error() string {
	switch {
	case e.Got == "":
		return fmt.Sprintf("read %q: not a session file of %s", e.Path, DisplayName(e.Want))
	case e.Want == "":
		return fmt.Sprintf("read %q: this is a session file of %s, which Crosswalk does not read", e.Path, DisplayName(e.Got))
	}
	return fmt.Sprintf("read %q: this is a session file of %s, not of %s", e.Path, DisplayName(e.Got), DisplayName(e.Want))
}

// Is implements the match with [ErrForeign].
func (e *ForeignError) Is(target error) bool { return target == ErrForeign }

// View chooses which part of a session's history is read.
type View string

// The views.
const (
	// ModelView is what the model last saw: it begins at the last compaction
	// and leaves out what was rolled back.
	ModelView View = "model"
	// FullView is everything on the active branch, before compactions too;
	// what was rolled back is left out.
	FullView View = "full"
)

// OpenOptions are the choices of Agent.Open.
type OpenOptions struct {
	// View is ModelView by default.
	View View
	// Branch is the id of a record on the branch to read; empty for the active
	// branch.
	Branch string
	// Report counts what the reader leaves unread and what it met; nil counts
	// nothing.
	Report *canon.Report
	// Home is where session-relative files of the agent may lie.
	Home Home
	// Progress is told how many bytes of the file have been read; may be nil.
	Progress func(done, size int64)
	// Lines reads the session as it was when its file had that many lines; 0
	// reads all of it. Only a [Merger] knows it.
	Lines int
}

// Session is one open session: a consistent view of its file at Open.
type Session interface {
	Thread() canon.Thread
	// Messages streams the messages of the chosen view, in order.
	Messages(ctx context.Context) canon.Messages
	// Calls returns a fresh index of the results in the stream, for canon.Heal.
	Calls() *canon.CallIndex
	// Close releases the file and what is known of it; there are no messages any
	// more. Closing twice is no error.
	Close() error
}

// Brancher is a Session whose file may hold several branches.
type Brancher interface {
	// Branches returns the branches of the session: first the one that is read,
	// then the others, the latest first.
	Branches(ctx context.Context) ([]Branch, error)
}

// Branch is one way that a session went.
type Branch struct {
	// Leaf is the id of its last record, as OpenOptions.Branch takes it.
	Leaf string `json:"leaf"`
	// Active says that it is the one that is read.
	Active bool `json:"active,omitempty"`
	// Time of the last record; zero if it has none.
	Time time.Time `json:"time,omitzero"`
	// Messages counts its own: those that stand on no branch before it.
	Messages int `json:"messages"`
	// Prompt is the beginning of the last text that a person typed on it.
	Prompt string `json:"prompt,omitempty"`
}

// Extent tells how far a session goes. The sessions of a [Merger] have a method
// Extent that returns it.
type Extent struct {
	// Records is where the last record of the session's own file ends, in bytes
	// of the unpacked file.
	Records int64 `json:"ends,omitempty"`
	// Said is where the last record ends that belongs to the conversation: what a
	// client notes when it only opens a session does not move it.
	Said int64 `json:"said,omitempty"`
	// Leaf is the id of the last record of the branch that is read, where records
	// have ids.
	Leaf string `json:"leaf,omitempty"`
	// Marked is the line up to which the file was handed over, as its marker says;
	// 0 if it has none.
	Marked int `json:"-"`
}

// Rewind makes f end as it did when its records took size bytes, or when it had
// that many lines; 0 leaves it as it is.
func Rewind(f *jsonl.File, size int64, lines int) error {
	if size > 0 {
		ends, err := f.EndsRecord(size)
		if err != nil {
			return err
		}
		if !ends {
			return fmt.Errorf("read %q: no record ends at byte %d, where one did when it was handed over", f.Path(), size)
		}
		f.Limit(size)
	}
	if lines > 0 {
		return f.LimitLines(lines)
	}
	return nil
}

// ExtentOf returns the extent of s; it is zero if the agent does not tell it.
func ExtentOf(s Session) Extent {
	if s, ok := s.(interface{ Extent() Extent }); ok {
		return s.Extent()
	}
	return Extent{}
}

// Query narrows a listing.
type Query struct {
	// Dir limits it to sessions that worked in this real path; empty is all.
	Dir string
	// ID limits it to the session with this id.
	ID string
	// Known returns the entry of a file that was listed before and has not
	// changed since; nil knows none.
	Known Known
}

// Known looks up a listing entry by the file's path, size and time. It is safe for
// concurrent use.
type Known func(path string, size int64, modified time.Time) (Entry, bool)

// Entry is a session in a listing, as far as it can be told without reading
// all of it.
type Entry struct {
	Agent string
	// ID is empty where the file has none that could name it (see [IsName]).
	ID    string
	Path  string
	Title string
	Dir   string
	// Modified is the file's modification time.
	Modified time.Time
	Size     int64
	// Hidden says why an automatic choice passes the session over; empty if it
	// does not.
	Hidden Hidden
	// Origin tells that it was handed over, where its file says so.
	Origin *canon.Origin
	// ForkedFrom is the id of the session that it is a fork of.
	ForkedFrom string
	// First and Last are the ids of its first and last record, where records
	// have ids: they tell copies of a session from others.
	First, Last string
}

// Hidden is a reason to pass a session over.
type Hidden string

// The reasons.
const (
	HiddenSubagent Hidden = "subagent"
	HiddenArchived Hidden = "archived"
	// HiddenHeadless is a run without a person, such as one of a script.
	HiddenHeadless Hidden = "headless"
	HiddenEmpty    Hidden = "no conversation"
	// HiddenContinued is a session of which a newer one of the same project
	// holds all records.
	HiddenContinued Hidden = "continued"
)

// WriteOptions are the choices of Writer.Write.
type WriteOptions struct {
	Home Home
	// Path is the file to write instead of one in Home.
	Path string
	// Folder is where the file goes, under the agent's own name for it, instead
	// of its place in Home.
	Folder string
	// Elsewhere says that the file is not for Home: nothing that Home alone knows
	// is told in it.
	Elsewhere bool
	// ID is the new session's id; empty makes a fresh one.
	ID string
	// Now is the time of the hand-over; zero is the current time.
	Now time.Time
	// Model to name as the one that answered, if the agent insists on one.
	Model string
	// Marker travels in the file for tools that look for the session's origin.
	Marker Marker
	// Report counts what is changed, dropped and written; never nil.
	Report *canon.Report
	// Confirm is asked once the file is written and read back, before it gets
	// its name; an error from it undoes the writing. May be nil.
	Confirm func(*Written) error
	// File are options of the file's writer.
	File []atomicfile.Option
}

// Prepare fills in the time and the id, and refuses an id that is none of m's
// agent: it becomes part of a path. Write and Merge begin with it.
func (o *WriteOptions) Prepare(m *Manifest) error {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	if o.ID == "" {
		o.ID = uuid.New(o.Now)
	}
	if err := m.CheckID(o.ID); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

// Marker is what a written session says about its origin.
type Marker struct {
	SourceAgent string
	SourceID    string
	// Handoff is the id of the hand-over in the journal.
	Handoff string
	// Version of Crosswalk.
	Version string
}

// Written is a session that was written.
type Written struct {
	ID   string
	Path string
	// Lines is the number of lines of the file.
	Lines int
	Size  int64
	// Messages is the adapted stream's count, as emitted.
	Messages int
	// Side is a folder of files beside the session that was made for it; empty
	// if there is none.
	Side string
	// Folders are those that were made for the file, the outermost first.
	Folders []string
	// Links is the digest chain of the session as it reads back.
	Links []canon.Link
	// Reopen opens what was written for reading while it is confirmed: it does
	// not have its name yet. The caller closes the file before it answers.
	Reopen func() (*os.File, error)
	// Extent is how far the session goes.
	Extent Extent
	// OtherBranch says of a copy that what was added follows another branch than
	// the one that is active in the original.
	OtherBranch bool
}

// TagProjectInstructions is the tag of the project's own instructions, which a
// client puts in from a file such as AGENTS.md.
const TagProjectInstructions = "project_instructions"

// Indexer is an Agent whose client lists only sessions that it has indexed, and
// can be asked to index them.
type Indexer interface {
	Index(ctx context.Context, home Home) error
}

// Placer is an Agent that tells where its client would put a new session: that
// of the directory dir, with an id, begun at now.
type Placer interface {
	Place(home Home, dir, id string, now time.Time) (string, error)
}

// Continuer is an Agent of which a session may go on from the file of another one,
// and is broken without it.
type Continuer interface {
	// GoOnFrom lists the files of the sessions that go on from the session file at
	// path. What cannot be read is passed over.
	GoOnFrom(ctx context.Context, home Home, path string) ([]string, error)
}

// Merger is a Writer that can add messages to a copy of a session.
type Merger interface {
	Writer
	// Merge writes a copy of the session file at path, under a new id, with msgs
	// after its active branch, or after the one that MergeOptions name. The
	// original's records stay as they are but for the ids of the session itself,
	// and so does the original. Its errors are those of Open and Write.
	Merge(ctx context.Context, path string, msgs canon.Messages, o MergeOptions) (*Written, error)
}

// MergeOptions are the choices of Merger.Merge.
type MergeOptions struct {
	WriteOptions
	// Size is how much of the original to copy, in bytes of the unpacked file; 0
	// is all of it. It gives the session as it was when its records ended there.
	Size int64
	// Leaf is the id of the record that ended the branch that was handed over. If
	// the active branch does not go on from it, msgs follow the last record that
	// does. Empty is the active branch.
	Leaf string
}
