package agenttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const newID = "0190a1b2-c3d4-7000-8000-00000000abcd"

// handoffTime is the time of every hand-over in the suite.
func handoffTime() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

func options(home agent.Home, r *canon.Report) agent.WriteOptions {
	return agent.WriteOptions{
		Home: home, ID: newID, Now: handoffTime(), Report: r, File: []atomicfile.Option{atomicfile.Sync(false)},
		Marker: agent.Marker{SourceAgent: "elsewhere", SourceID: "source-1", Handoff: "h-1", Version: "test"},
	}
}

func testWriting(t *testing.T, w agent.Writer, fx *Fixtures) {
	t.Run("everything comes back", func(t *testing.T) {
		home := surroundings(t)
		rapid.Check(t, func(rt *rapid.T) {
			s := randomSession(rt)
			dir := filepath.Join(home.Dir, "w") // one name: a failure is known again by its message
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
				rt.Fatal(err)
			}
			if err := roundTrip(rt.Context(), w, s, agent.Home{Dir: dir, Getenv: home.Getenv}); err != nil {
				lines, _ := Lines(stream(s.msgs))
				rt.Logf("session:\n%s", strings.Join(lines, "\n"))
				rt.Fatal(err)
			}
			if err := sameTwice(rt.Context(), w, s, agent.Home{Dir: dir, Getenv: home.Getenv}); err != nil {
				rt.Fatal(err)
			}
		})
	})
	for _, f := range fx.Sessions {
		t.Run("again "+f.Name, func(t *testing.T) { testAgain(t, w, &f) })
	}
	t.Run("target exists", func(t *testing.T) { testExists(t, w) })
	t.Run("hostile ids", func(t *testing.T) {
		for _, id := range hostileIDs()[1:] {
			refusesID(t, id, func(s session, o agent.WriteOptions) error {
				_, err := w.Write(t.Context(), s.thread, stream(s.msgs), o)
				return err
			})
		}
	})
	if m, ok := w.(agent.Merger); ok {
		t.Run("hostile ids of a copy", func(t *testing.T) {
			for _, id := range hostileIDs()[1:] {
				path := fx.Sessions[0].put(t)
				before := tree(t, filepath.Dir(path))
				refusesID(t, id, func(s session, o agent.WriteOptions) error {
					_, err := m.Merge(t.Context(), path, stream(s.msgs), agent.MergeOptions{WriteOptions: o})
					return err
				})
				if diff := cmp.Diff(before, tree(t, filepath.Dir(path))); diff != "" {
					t.Errorf("the id %q changed the original's folder:\n%s", id, diff)
				}
			}
		})
	}
	t.Run("the title names the origin once", func(t *testing.T) { testTitle(t, w) })
}

// refusesID wants a writer to refuse id and to leave nothing.
func refusesID(t *testing.T, id string, write func(session, agent.WriteOptions) error) {
	t.Helper()
	home := surroundings(t)
	o := options(home, new(canon.Report))
	o.ID = id
	if err := write(example(), o); err == nil {
		t.Errorf("the id %q was written", id)
	}
	nothingIn(t, home.Dir)
}

// roundTrip writes s, reads it back and compares.
func roundTrip(ctx context.Context, w agent.Writer, s session, home agent.Home) error {
	var heal, r canon.Report
	var in []*canon.Message
	healed := stages(stream(s.msgs), callsOf(s.msgs), &heal)
	written, err := w.Write(ctx, s.thread, func(yield func(*canon.Message, error) bool) {
		for m, err := range healed {
			if err == nil {
				in = append(in, clone(m))
				r.Ingest(m)
			}
			if !yield(m, err) {
				return
			}
		}
	}, options(home, &r))
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if err := r.Balance(); err != nil {
		return err
	}
	if err := checkFile(written); err != nil {
		return err
	}
	out, th, err := readAll(ctx, w, written.Path, home)
	if err != nil {
		return err
	}
	if err := sameCounts(&r, out); err != nil {
		return err
	}
	if err := sameHeader(&s.thread, &th); err != nil {
		return err
	}
	if err := paired(out); err != nil {
		return err
	}
	if err := missing(flatten(in), flatten(out), &r); err != nil {
		losses := make([]string, 0, len(r.Losses))
		for _, l := range r.Losses {
			losses = append(losses, fmt.Sprintf("%s %s %s: %s", l.Where, l.Action, l.What, l.Why))
		}
		return fmt.Errorf("%w\nlosses:\n%s", err, strings.Join(losses, "\n"))
	}
	return nil
}

// readAll returns the messages and the header of the session at path.
func readAll(ctx context.Context, a agent.Agent, path string, home agent.Home) (msgs []*canon.Message, th canon.Thread, err error) {
	s, err := a.Open(ctx, path, agent.OpenOptions{Home: home})
	if err != nil {
		return nil, th, fmt.Errorf("read back: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for m, err := range s.Messages(ctx) {
		if err != nil {
			return nil, th, err
		}
		msgs = append(msgs, m)
	}
	return msgs, s.Thread(), nil
}

// sameCounts wants as many blocks of each kind to come back as were emitted.
func sameCounts(r *canon.Report, out []*canon.Message) error {
	var back canon.Report
	for _, m := range out {
		for _, b := range m.Blocks {
			b.Meta().Tag = "" // text that reads like scaffolding was emitted as text
		}
		back.Ingest(m)
	}
	want, got := make(canon.Counts), make(canon.Counts)
	for k, n := range r.Emitted {
		want[k] = n
	}
	for k, n := range back.Ingested {
		got[k] = n
	}
	// A writer may file a message's blocks in records of their own.
	delete(want, canon.CountMessage)
	delete(got, canon.CountMessage)
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("emitted and read back differ:\n%s", diff)
	}
	return nil
}

func sameHeader(in, out *canon.Thread) error {
	switch {
	case out.ID != newID:
		return fmt.Errorf("the id is %q", out.ID)
	case out.Dir != in.Dir:
		return fmt.Errorf("the directory is %q, want %q", out.Dir, in.Dir)
	case out.Git.Branch != in.Git.Branch:
		return fmt.Errorf("the branch is %q, want %q", out.Git.Branch, in.Git.Branch)
	case out.Origin == nil || out.Origin.Agent != "elsewhere" || out.Origin.ID != "source-1":
		return fmt.Errorf("the origin is %+v", out.Origin)
	case in.Title != "" && !strings.HasSuffix(out.Title, " (from elsewhere)"):
		return fmt.Errorf("the title %q does not name the origin", out.Title)
	}
	return nil
}

// checkFile wants the written file to be what the result says, and clean.
func checkFile(w *agent.Written) error {
	b, err := os.ReadFile(w.Path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(w.Path)
	if err != nil {
		return err
	}
	lines := bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n"))
	switch {
	case info.Mode() != 0o600:
		return fmt.Errorf("the file's mode is %v", info.Mode())
	case int64(len(b)) != w.Size || len(lines) != w.Lines:
		return fmt.Errorf("the file has %d bytes and %d lines, the result says %d and %d", len(b), len(lines), w.Size, w.Lines)
	case !bytes.HasSuffix(b, []byte("\n")):
		return errors.New("no newline at the end")
	case !utf8.Valid(b) || bytes.HasPrefix(b, []byte("\ufeff")):
		return errors.New("not clean UTF-8")
	}
	for i, l := range lines {
		if raw := jsonx.Raw(l); !raw.Valid() || raw.Kind() != jsonx.Object {
			return fmt.Errorf("line %d is no JSON object: %s", i+1, l)
		}
		if clean, n := jsonx.CleanValue(l); n > 0 {
			return fmt.Errorf("line %d holds half a character: %s", i+1, clean)
		}
	}
	return nil
}

// testAgain hands a session of the agent itself over to it.
func testAgain(t *testing.T, w agent.Writer, f *File) {
	home := surroundings(t)
	path := f.put(t)
	before := tree(t, filepath.Dir(path))
	s := open(t, w, path, agent.OpenOptions{Home: home})
	defer closeSession(t, s)
	var msgs []*canon.Message
	for m, err := range s.Messages(t.Context()) {
		must(t, err)
		msgs = append(msgs, m)
	}
	th := s.Thread()
	th.Dir = "/w"
	must(t, roundTripOf(t.Context(), w, session{thread: th, msgs: msgs}, home))
	if diff := cmp.Diff(before, tree(t, filepath.Dir(path))); diff != "" {
		t.Errorf("the original changed:\n%s", diff)
	}
}

// roundTripOf is roundTrip for a session that has an origin or none.
func roundTripOf(ctx context.Context, w agent.Writer, s session, home agent.Home) error {
	s.thread.Origin = nil
	for i, m := range s.msgs {
		m.Line = i + 1 // unique, to tell which one a loss means
	}
	return roundTrip(ctx, w, s, home)
}

// sameTwice writes s twice, into two homes.
func sameTwice(ctx context.Context, w agent.Writer, s session, home agent.Home) error {
	var files [2][]byte
	for i := range files {
		dir := filepath.Join(home.Dir, strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		healed := stages(stream(s.msgs), callsOf(s.msgs), new(canon.Report))
		written, err := w.Write(ctx, s.thread, healed, options(agent.Home{Dir: dir, Getenv: home.Getenv}, new(canon.Report)))
		if err != nil {
			return err
		}
		if files[i], err = os.ReadFile(written.Path); err != nil {
			return err
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		return errors.New("the same hand-over gives two different files")
	}
	return nil
}

func testExists(t *testing.T, w agent.Writer) {
	s := example()
	for name, make := range map[string]func(path string) error{
		"file":          func(path string) error { return os.WriteFile(path, []byte("mine"), 0o644) },
		"dangling link": func(path string) error { return os.Symlink("/nowhere", path) },
		"folder":        func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(surroundings(t), new(canon.Report))
			o.Path = filepath.Join(t.TempDir(), "rollout-"+newID+".jsonl")
			must(t, make(o.Path))
			before := names(t, filepath.Dir(o.Path))
			if _, err := w.Write(t.Context(), s.thread, stream(s.msgs), o); !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v, want one that matches fs.ErrExist", err)
			}
			if diff := cmp.Diff(before, names(t, filepath.Dir(o.Path))); diff != "" {
				t.Errorf("what was there changed:\n%s", diff)
			}
		})
	}
}

// names returns what dir holds, links not followed.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		out = append(out, fmt.Sprint(e.Name(), info.Mode(), info.Size(), info.ModTime()))
	}
	return out
}

// testTitle hands a session to and fro.
func testTitle(t *testing.T, w agent.Writer) {
	s := example()
	s.thread.Title = "Fix the login"
	for range 3 {
		home := surroundings(t)
		written, err := w.Write(t.Context(), s.thread, stream(s.msgs), options(home, new(canon.Report)))
		must(t, err)
		_, th, err := readAll(t.Context(), w, written.Path, home)
		must(t, err)
		if th.Title != "Fix the login (from elsewhere)" {
			t.Fatalf("the title is %q", th.Title)
		}
		s.thread = th
	}
}

// example is a small session with a bit of everything.
func example() session {
	text := func(s string) canon.Block { return &canon.TextBlock{Text: canon.NewText(s)} }
	call := &canon.ToolCallBlock{CallID: "call_1", Name: "Bash", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"command":"ls"}`)}}
	msgs := []*canon.Message{
		{Role: canon.User, Blocks: []canon.Block{text("please fix a.txt"), &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText(pixel)}}}},
		{Role: canon.Assistant, Blocks: []canon.Block{text("Looking."), call}},
		{Role: canon.User, Blocks: []canon.Block{&canon.ToolResultBlock{CallID: "call_1", Content: []canon.Block{text("alpha")}}}},
		{Role: canon.Assistant, Blocks: []canon.Block{text("Done.")}},
	}
	for i, m := range msgs {
		m.Line = i + 1
		m.Time = time.Date(2026, 11, 30, 10, 0, i, 0, time.UTC)
	}
	return session{thread: canon.Thread{ID: "source-1", Agent: "elsewhere", Dir: "/w", Title: "Fix a.txt", Created: msgs[0].Time, Updated: msgs[3].Time}, msgs: msgs}
}

// nothingIn wants dir to be empty.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	for name := range tree(t, dir) {
		if name != "." {
			t.Errorf("left over: %q", name)
		}
	}
}
