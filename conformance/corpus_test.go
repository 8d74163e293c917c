//go:build conformance

package conformance_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// cutBytes is the size from which Codex 0.171.0 cuts the output of a tool when
// it resumes a thread.
const cutBytes = 40_000

// TestCorpusResumes hands every session of the corpus that holds a conversation
// to the other agent, whose real client sends all of it.
func TestCorpusResumesInCodex(t *testing.T) {
	for _, f := range fixture.Corpus(t, "claude") {
		t.Run(f.Label, func(t *testing.T) {
			t.Parallel()
			home, work := folders(t)
			p := product{t: t, home: home, work: work}
			path := f.Unpack(t, t.TempDir())
			h, ok := p.handOverCorpus("codex", path)
			if !ok {
				return
			}
			var want []piece
			for _, piece := range pieces(fileCodex(t, h.Target.Path)) {
				// The images of the corpus are filler, which Codex leaves out.
				if len(piece.full) < cutBytes && !piece.media {
					want = append(want, piece)
				}
			}
			_, sent := resumeCodex(t, home, work, h.Target.ID, "go on", rig.Turn{Text: "going on"})
			contains(t, pieces(sent), want)
		})
	}
}

func TestCorpusResumesInClaude(t *testing.T) {
	for _, f := range fixture.Corpus(t, "codex") {
		t.Run(f.Label, func(t *testing.T) {
			t.Parallel()
			home, work := folders(t)
			p := product{t: t, home: home, work: work}
			path := f.Unpack(t, t.TempDir())
			h, ok := p.handOverCorpus("claude", path)
			if !ok {
				return
			}
			want := pieces(fileClaude(t, h.Target.Path))
			_, sent := resumeClaude(t, home, work, h.Target.ID, "go on", rig.Turn{Text: "going on"})
			got := pieces(sent)
			if f.Label == "x017" {
				// A call that the provider answers amid calls that wait for their
				// results: the client sends its result before theirs.
				want = slices.DeleteFunc(want, func(w piece) bool {
					return slices.ContainsFunc(got, func(g piece) bool { return g.link == w.link || g.link == w.seam })
				})
				if len(want) > 0 {
					t.Errorf("did not arrive: %v", want)
				}
				return
			}
			contains(t, got, want)
		})
	}
}

// handOverCorpus hands a file over; ok is false for one without a conversation
// or of another agent, which is refused in words.
func (p product) handOverCorpus(target, path string) (h handed, ok bool) {
	p.t.Helper()
	o := p.run("to", target, path, "--allow-secrets", "--json")
	if o.code == 0 {
		return p.must("to", target, path, "--allow-secrets"), true
	}
	if !strings.Contains(o.err, "holds no conversation") && !strings.Contains(o.err, "this is a session file of") {
		p.t.Errorf("exit %d: %s", o.code, o.err)
	}
	return h, false
}

// oldRollouts are the forms that Codex once wrote and no longer resumes itself.
var oldRollouts = map[string]struct{ name, text string }{
	"before the wrapper": {"rollout-2025-08-01T10-00-00-11111111-2222-4333-8444-555555555555.jsonl", strings.Join([]string{
		`{"id":"11111111-2222-4333-8444-555555555555","timestamp":"2025-08-01T10:00:00.000Z","instructions":"Be brief.","git":{"branch":"main"}}`,
		`{"record_type":"state"}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n  <cwd>/srv/app</cwd>\n</environment_context>"}]}`,
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"Please look at a.txt."}]}`,
		`{"type":"function_call","name":"shell","arguments":"{\"command\":[\"cat\",\"a.txt\"]}","call_id":"call_1"}`,
		`{"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"alpha\\n\",\"metadata\":{\"exit_code\":0}}"}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It says alpha."}]}`, "",
	}, "\n")},
	"one document": {"rollout-2025-04-20-11111111-2222-4333-8444-666666666666.json", `{"session":{"id":"11111111-2222-4333-8444-666666666666","timestamp":"2025-04-20T10:00:00.000Z","instructions":""},
"items":[
 {"type":"message","role":"user","content":[{"type":"input_text","text":"Please look at a.txt."}]},
 {"type":"local_shell_call","id":"lsh_1","call_id":"call_1","status":"completed","action":{"type":"exec","command":["cat","a.txt"]}},
 {"type":"function_call_output","call_id":"call_1","output":"alpha"},
 {"type":"message","role":"assistant","content":[{"type":"output_text","text":"It says alpha."}]}
]}`},
}

func TestOldRolloutsResumeInClaude(t *testing.T) {
	for name, old := range oldRollouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, work := folders(t)
			path := filepath.Join(t.TempDir(), old.name)
			if err := os.WriteFile(path, []byte(old.text), 0o600); err != nil {
				t.Fatal(err)
			}
			p := product{t: t, home: home, work: work}
			h := p.must("to", "claude", path)
			want := pieces(fileClaude(t, h.Target.Path))
			_, sent := resumeClaude(t, home, work, h.Target.ID, "go on", rig.Turn{Text: "going on"})
			contains(t, pieces(sent), want)
			got := outline(sent)
			for _, want := range []string{"user: Please look at a.txt.", "result", "assistant: It says alpha."} {
				if count(got, want) != 1 {
					t.Errorf("%q was sent %d times in %q", want, count(got, want), got)
				}
			}
		})
	}
}

func TestCompressedRolloutResumesInClaude(t *testing.T) {
	t.Parallel()
	p, s := madeByCodex(t, rig.CodexTools())
	compress(t, s)
	h := p.must("to", "claude", s.ID)
	want := pieces(fileClaude(t, h.Target.Path))
	_, sent := resumeClaude(t, s.Home, s.Work, h.Target.ID, "go on", rig.Turn{Text: "going on"})
	contains(t, pieces(sent), want)
	if count(outline(sent), "assistant: "+rig.SaidDone) != 1 {
		t.Errorf("the client sent %q", outline(sent))
	}
}

// compress packs the session's file as Codex does after some days.
func compress(t *testing.T, s rig.Session) {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll([]byte(read(t, s.Path)), nil)
	if err := errors.Join(os.WriteFile(s.Path+".zst", packed, 0o600), os.Remove(s.Path)); err != nil {
		t.Fatal(err)
	}
}
