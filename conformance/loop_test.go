//go:build conformance

package conformance_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// handedToCodex makes a session of Claude Code, hands it over and has Codex
// review it.
func handedToCodex(t *testing.T) (product, rig.Session, handed) {
	t.Helper()
	p, s := madeByClaude(t, rig.ClaudeTools())
	to := p.must("to", "codex", s.ID)
	resumeCodex(t, s.Home, s.Work, to.Target.ID, ask, codexReview()...)
	return p, s, to
}

// added is the outline of what a copy holds behind the original.
func added(t *testing.T, original []string, copied string) []string {
	t.Helper()
	return outline(fileClaude(t, writeLines(t, lines(t, copied)[len(original):])))
}

func TestSecondLoopOnTopOfTheFirst(t *testing.T) {
	t.Parallel()
	p, s, _ := handedToCodex(t)
	first := p.must("pull")
	if first.Source.Agent != "codex" {
		t.Errorf("pull took %+v", first.Source)
	}
	resumeClaude(t, p.home, p.work, first.Target.ID, "Thanks, done.", rig.Turn{Text: "Good."})
	to := p.must("to", "codex", first.Target.ID)
	resumeCodex(t, p.home, p.work, to.Target.ID, "Once more.", rig.Turn{Text: "Still right."})
	base := lines(t, first.Target.Path)
	second := p.must("pull", to.Target.ID)
	if d := cmp.Diff([]string{"user: Once more.", "assistant: Still right."}, added(t, base, second.Target.Path)); d != "" {
		t.Errorf("the second pull (-want +got):\n%s", d)
	}
	if !slices.Equal(base, lines(t, first.Target.Path)) {
		t.Error("the first copy changed")
	}
	_, sent := resumeClaude(t, p.home, p.work, second.Target.ID, "end", rig.Turn{Text: "x"})
	all := outline(sent)
	for _, said := range []string{"user: " + ask, "assistant: " + verdict, "assistant: Good.", "assistant: Still right."} {
		if n := count(all, said); n != 1 {
			t.Errorf("%q was sent %d times", said, n)
		}
	}
	lineage := p.run("lineage", s.ID)
	for _, id := range []string{s.ID, first.Target.ID, to.Target.ID, second.Target.ID} {
		if !strings.Contains(lineage.out, id) {
			t.Errorf("the lineage lacks %s:\n%s", id, lineage.out)
		}
	}
}

// count counts equal strings, and those with the newline that the client adds
// where it joins messages.
func count(list []string, s string) (n int) {
	for _, l := range list {
		if strings.TrimSuffix(l, "\n") == s {
			n++
		}
	}
	return n
}

func TestSecondPullBringsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	p, _, to := handedToCodex(t)
	first := p.must("pull", to.Target.ID)
	resumeCodex(t, p.home, p.work, to.Target.ID, "One more thing.", rig.Turn{Text: "Go ahead."})
	base := lines(t, first.Target.Path)
	second := p.must("pull", to.Target.ID)
	if d := cmp.Diff([]string{"user: One more thing.", "assistant: Go ahead."}, added(t, base, second.Target.Path)); d != "" {
		t.Errorf("the second pull (-want +got):\n%s", d)
	}
}

func TestOriginalMovedOn(t *testing.T) {
	t.Parallel()
	p, s, to := handedToCodex(t)
	then := lines(t, s.Path)
	resumeClaude(t, p.home, p.work, s.ID, "Meanwhile.", rig.Turn{Text: "Meanwhile indeed."})
	now := lines(t, s.Path)
	review := []string{"user: " + ask, "assistant: " + begin, `call exec_command {"cmd":"cat a.txt"}`, "result", "assistant: " + verdict}

	latest := p.must("pull", to.Target.ID)
	if !latest.MovedOn {
		t.Error("the result does not say that the original moved on")
	}
	if d := cmp.Diff(review, added(t, now, latest.Target.Path)); d != "" {
		t.Errorf("onto the latest (-want +got):\n%s", d)
	}
	_, sent := resumeClaude(t, p.home, p.work, latest.Target.ID, "end", rig.Turn{Text: "x"})
	if count(outline(sent), "assistant: Meanwhile indeed.") != 1 || count(outline(sent), "assistant: "+verdict) != 1 {
		t.Errorf("the client sent %q", outline(sent))
	}
	if undo := p.run("undo", latest.Target.ID, "-y"); undo.code != 4 {
		t.Errorf("undo of a copy that was continued: exit %d\n%s", undo.code, undo.err)
	}
	if err := os.Remove(latest.Target.Path); err != nil {
		t.Fatal(err)
	}

	handoff := p.must("pull", to.Target.ID, "--onto", "handoff")
	if d := cmp.Diff(review, added(t, then, handoff.Target.Path)); d != "" {
		t.Errorf("onto the hand-over (-want +got):\n%s", d)
	}
	_, sent = resumeClaude(t, p.home, p.work, handoff.Target.ID, "end", rig.Turn{Text: "x"})
	if count(outline(sent), "assistant: Meanwhile indeed.") != 0 || count(outline(sent), "assistant: "+verdict) != 1 {
		t.Errorf("the client sent %q", outline(sent))
	}
}

func TestReviewBringsTheFinalAnswersOnly(t *testing.T) {
	t.Parallel()
	p, s, to := handedToCodex(t)
	original := lines(t, s.Path)
	h := p.must("pull", to.Target.ID, "--review")
	got := added(t, original, h.Target.Path)
	if len(got) != 1 || !strings.HasPrefix(got[0], "user: ") || !strings.HasSuffix(got[0], verdict) {
		t.Errorf("brought back %q", got)
	}
	_, sent := resumeClaude(t, p.home, p.work, h.Target.ID, "end", rig.Turn{Text: "x"})
	contains(t, pieces(sent), pieces(fileClaude(t, writeLines(t, lines(t, h.Target.Path)[len(original):len(original)+1]))))
}

func TestHistoryBeforeTheBoundaryWasRolledBack(t *testing.T) {
	t.Parallel()
	p, s, to := handedToCodex(t)
	f, err := os.OpenFile(to.Target.Path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"timestamp":"2026-11-30T23:00:00.000Z","type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":2}}`,
		`{"timestamp":"2026-11-30T23:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Another way."}]}}`,
		`{"timestamp":"2026-11-30T23:00:01.000Z","type":"event_msg","payload":{"type":"user_message","message":"Another way."}}`,
		`{"timestamp":"2026-11-30T23:00:02.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"As you like."}]}}`,
	} {
		if _, err := f.WriteString(line + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	before := lines(t, s.Path)
	o := p.run("pull", to.Target.ID, "--no-input")
	if o.code != 4 || !strings.Contains(o.err, "Another way.") || !strings.Contains(o.err, "--boundary") {
		t.Errorf("exit %d\n%s", o.code, o.err)
	}
	n := len(lines(t, to.Target.Path))
	h := p.must("pull", to.Target.ID, "--boundary", strconv.Itoa(n-3))
	if d := cmp.Diff([]string{"user: Another way.", "assistant: As you like."}, added(t, before, h.Target.Path)); d != "" {
		t.Errorf("from a line on (-want +got):\n%s", d)
	}
}
