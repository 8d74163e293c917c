package canonical

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// headerWithin is how many records may stand before the header, so that the
// damage a crash leaves does not matter and a large foreign file is refused
// after its beginning.
const headerWithin = 64

// place is where a message lies in the file, 16 bytes.
type place struct {
	off  int64
	size int
}

// session is one open file.
type session struct {
	file     *jsonl.File
	opts     agent.OpenOptions
	thread   canon.Thread
	messages []place
	calls    *canon.CallIndex
	unknown  int // members of the header that were passed over
}

// Open implements [agent.Agent]. The file holds one view of a session, so both
// views read the same.
func (a *Agent) Open(ctx context.Context, path string, o agent.OpenOptions) (agent.Session, error) {
	if o.Branch != "" {
		return nil, fmt.Errorf("open %q: the canonical form has no branches, so there is no branch %q", path, o.Branch)
	}
	f, err := jsonl.Open(ctx, path, jsonl.Limits{})
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	s, err := open(ctx, f, path, o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}

func open(ctx context.Context, f *jsonl.File, path string, o agent.OpenOptions) (*session, error) {
	s := &session{file: f, opts: o, calls: canon.NewCallIndex(maphash.MakeSeed())}
	x := indexer{s: s}
	if err := x.build(ctx); err != nil {
		return nil, err
	}
	switch {
	case f.Size() == 0:
		return nil, fmt.Errorf("read %q: the file is empty: %w", path, agent.ErrNoConversation)
	case x.version == 0:
		return nil, foreign(f, path)
	case x.version > Version:
		return nil, fmt.Errorf("read %q: it has version %d of the canonical form, this program reads version %d: update crosswalk", path, x.version, Version)
	case x.second > 0:
		return nil, fmt.Errorf("read %q: another session begins at line %d: give each a file of its own", path, x.second)
	case len(s.messages) == 0:
		return nil, fmt.Errorf("read %q: no record of it is a message: %w", path, agent.ErrNoConversation)
	}
	return s, nil
}

// foreign returns the error for a file without a header.
func foreign(f *jsonl.File, path string) error {
	got, err := agent.Identify(f)
	if err != nil {
		return err
	}
	if got == ID { // a header that cannot be read
		got = ""
	}
	return &agent.ForeignError{Path: path, Want: ID, Got: got}
}

// indexer makes the one pass over the file that finds the messages and the
// results in them.
type indexer struct {
	s       *session
	rd      reader
	version int64
	records int
	others  int
	second  int // line of another header
	stop    context.CancelCauseFunc
}

var errForeign = errors.New("no header at the beginning")

func (x *indexer) build(parent context.Context) error {
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	x.stop = stop
	r := x.s.opts.Report
	x.s.file.OnProgress(x.s.opts.Progress)
	_, err := agent.Index(ctx, x.s.file, r, x.record)
	if errors.Is(context.Cause(ctx), errForeign) {
		return nil
	}
	if r != nil {
		r.Note("unknown-records", x.others)
	}
	return err
}

// record files one record of the file.
func (x *indexer) record(data jsonl.Record) (int, error) {
	rec, n, err := x.rd.record(data.Data)
	if err != nil {
		return 0, err
	}
	switch {
	case x.version == 0 && rec.isHeader() && x.records < headerWithin:
		x.version, x.s.thread = rec.version, *rec.thread
		x.s.unknown = x.rd.unknown
	case rec.isHeader():
		x.second = data.Line
	case x.version != 0 && rec.isMessage():
		x.message(data.Off, n, rec.message)
	case data.Guess:
		return 0, errNotRecord
	default:
		x.others++
	}
	if x.records++; x.version == 0 && x.records >= headerWithin {
		x.stop(errForeign)
	}
	return n, nil
}

func (x *indexer) message(off int64, n int, m *canon.Message) {
	s := x.s
	s.messages = append(s.messages, place{off: off, size: n})
	s.calls.AddMessage(m)
}

// Thread implements [agent.Session]. It is the thread of the session that the
// file was made from.
func (s *session) Thread() canon.Thread { return s.thread }

// Calls implements [agent.Session].
func (s *session) Calls() *canon.CallIndex { return s.calls.Clone() }

// Close implements [agent.Session].
func (s *session) Close() error { return s.file.Close() }

// Messages implements [agent.Session].
func (s *session) Messages(ctx context.Context) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		var rd reader
		if r := s.opts.Report; r != nil {
			r.Note("unknown-members", s.unknown)
		}
		for _, p := range s.messages {
			m, err := s.message(ctx, &rd, p)
			if !yield(m, err) || err != nil {
				return
			}
		}
		if err := s.file.Unchanged(); err != nil {
			yield(nil, err)
		}
	}
}

func (s *session) message(ctx context.Context, rd *reader, p place) (*canon.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := s.file.ReadAt(p.off, p.size)
	if err != nil {
		return nil, err
	}
	rec, _, err := rd.record(data)
	if err == nil && !rec.isMessage() {
		err = errNotRecord
	}
	if err != nil {
		return nil, fmt.Errorf("read %q at byte %d: %w: %w", s.file.Path(), p.off, jsonl.ErrChanged, err)
	}
	if r := s.opts.Report; r != nil {
		r.Note("unknown-members", rd.unknown)
		r.Note("repaired-characters", rd.dec.Damaged())
	}
	return rec.message, nil
}
