package check

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// repairer takes a file through steps. Each reads what the one before left and
// writes a temporary file; the original's line of every record goes along.
type repairer struct {
	path, out string
	o         Options
	orig      *jsonl.File
	cur       *content
	report    RepairReport
	counts    map[string]int
	removed   map[unit]int32
	read      *claudeReader
	rules     catalog
	ids       int
	follow    bool   // link where the client itself would go on
	leaf      string // uuid of the message that a Claude Code session ends with
	seed      [sha256.Size]byte
}

// content is the state of the file after a step.
type content struct {
	*jsonl.File
	// lines holds the line of the original for each record; nil before the
	// first step.
	lines []uint32
	temp  *os.File
}

func (c *content) reader() io.Reader { return &contentReader{f: c.File} }

// contentReader reads a file from its beginning.
type contentReader struct {
	f   *jsonl.File
	off int64
}

func (r *contentReader) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), r.f.Size()-r.off))
	if n <= 0 {
		return 0, io.EOF
	}
	b, err := r.f.ReadAt(r.off, n)
	r.off += int64(copy(p, b))
	return n, err
}

func newRepairer(f *jsonl.File, path, out string, o Options) *repairer {
	return &repairer{
		path: path, out: out, o: o, orig: f, cur: &content{File: f}, counts: make(map[string]int), removed: make(map[unit]int32),
		report: RepairReport{Agent: o.Agent, Path: path, Out: out, Changes: []Change{}}, read: newClaudeReader(), rules: newCatalog(),
	}
}

// maxChanges is how many changes for one rule are listed.
const maxChanges = 10000

// change lists a change; the text is that of the rule unless what is given.
func (r *repairer) change(rule string, line int, what string) {
	if r.counts[rule]++; r.counts[rule] > maxChanges {
		if r.report.Omitted == nil {
			r.report.Omitted = make(map[string]int)
		}
		r.report.Omitted[rule]++
		return
	}
	if what == "" {
		what = r.rules[rule].Repair
	}
	r.report.Changes = append(r.report.Changes, Change{Rule: rule, Line: line, What: what})
}

// remove notes that the readable content of a record goes on purpose.
func (r *repairer) remove(value []byte) {
	u := units{add: func(d unit) { r.removed[d]++ }}
	if r.o.Agent == agentClaude {
		u.claude(value)
	} else {
		u.codex(value)
	}
}

// stage writes the result of one step.
type stage struct {
	w     *bufio.Writer
	lines []uint32
}

// put writes a record that comes from a line of the original.
func (s *stage) put(line int, value []byte) error {
	s.lines = append(s.lines, uint32(line))
	if _, err := s.w.Write(value); err != nil {
		return err
	}
	return s.w.WriteByte('\n')
}

// step runs f, which reads the file and writes the next state of it.
func (r *repairer) step(f func(s *stage) error) error {
	tmp, err := os.CreateTemp("", "crosswalk-*")
	if err != nil {
		return err
	}
	// Where an open file can be removed nothing is left even by a crash.
	_ = os.Remove(tmp.Name())
	s := &stage{w: bufio.NewWriterSize(tmp, 1<<16)}
	if err = f(s); err == nil {
		err = s.w.Flush()
	}
	var next *jsonl.File
	if err == nil {
		next, err = jsonl.FromFile(tmp)
	}
	if err != nil {
		return errors.Join(err, discard(tmp))
	}
	old := r.cur
	r.cur = &content{File: next, lines: s.lines, temp: tmp}
	return old.drop()
}

// drop closes the state of an earlier step; the original stays open.
func (c *content) drop() error {
	if c.temp == nil {
		return nil
	}
	return discard(c.temp)
}

func discard(tmp *os.File) error {
	err := tmp.Close()
	if rm := os.Remove(tmp.Name()); !errors.Is(rm, os.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}

// restart goes back to the original.
func (r *repairer) restart() error {
	err := r.cur.drop()
	r.cur, r.ids, r.leaf = &content{File: r.orig}, 0, ""
	clear(r.counts)
	clear(r.removed)
	r.report.Changes, r.report.Omitted, r.report.Removed = []Change{}, nil, 0
	return err
}

func (r *repairer) close() error { return r.cur.drop() }

// each calls f for every record with its line in the original.
func (r *repairer) each(ctx context.Context, f func(line int, rec jsonl.Record, value []byte) error) error {
	var failed error
	l := lines{rules: lineRules{agent: r.o.Agent}, found: newCollector(0)}
	l.record = func(rec jsonl.Record, value []byte) error {
		if failed == nil {
			failed = f(r.cur.line(rec.Line), rec, value)
		}
		return nil
	}
	return errors.Join(l.read(ctx, r.cur.File), failed)
}

func (c *content) line(line int) int {
	if c.lines == nil || line == 0 {
		return line
	}
	return int(c.lines[line-1])
}

// isRecord reports whether value is a record; behind damage only what is one
// beyond doubt, since a part of a broken record may look like one.
func isRecord(agent string, rec jsonl.Record, value []byte) bool {
	raw := jsonx.Raw(value)
	switch {
	case raw.Kind() != jsonx.Object:
		return false
	case !rec.Guess:
		return true
	case agent == agentCodex:
		return get(raw, "payload").Kind() == jsonx.Object && get(raw, "type") != nil
	}
	return get(raw, "type") != nil && (get(raw, "uuid") != nil || get(raw, "sessionId") != nil)
}

// mend is the first step: every record gets a line of its own, of valid UTF-8
// and whole characters, and what is no record goes.
func (r *repairer) mend(ctx context.Context) error {
	found := newCollector(maxChanges)
	return r.step(func(s *stage) error {
		var failed error
		l := lines{rules: lineRules{agent: r.o.Agent, behind: r.o.Agent == agentCodex}, found: found}
		l.record = func(rec jsonl.Record, value []byte) error {
			if !isRecord(r.o.Agent, rec, value) {
				return errNoRecord
			}
			clean, _ := jsonx.CleanValue(value)
			if failed == nil {
				failed = s.put(r.cur.line(rec.Line), clean)
			}
			return nil
		}
		if err := errors.Join(l.read(ctx, r.cur.File), failed); err != nil {
			return err
		}
		for _, f := range found.found {
			r.change(f.Rule, r.cur.line(f.Line), "")
		}
		return nil
	})
}

// stem returns the name of the written file without its suffix.
func (r *repairer) stem() string { return strings.TrimSuffix(filepath.Base(r.out), ".jsonl") }

// freshUUID returns an id that no record has. It follows from the original's
// bytes and a count, so that the same repair gives the same file.
func (r *repairer) freshUUID() string {
	r.ids++
	return uuid.Derive(strconv.AppendInt(r.seed[:], int64(r.ids), 10))
}

// seedIDs takes the seed of fresh ids from the original's bytes.
func (r *repairer) seedIDs() error {
	h := sha256.New()
	if _, err := io.Copy(h, r.cur.reader()); err != nil {
		return err
	}
	r.seed = [sha256.Size]byte(h.Sum(nil))
	return nil
}
