package claude_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
)

// rec is a record of the client's.
func rec(id, parent, kind, say, more string) string {
	quoted := "null"
	if parent != "" {
		quoted = `"` + parent + `"`
	}
	return `{"parentUuid":` + quoted + `,"isSidechain":false,"cwd":"/w","sessionId":"` + sessionID + `","type":"` + kind +
		`","message":{"role":"` + kind + `","content":[{"type":"text","text":"` + say + `"}]},"uuid":"` + id + `"` + more + "}\n"
}

// Two branches; the second is the active one.
var branches = rec("q", "", "user", "root?", "") + rec("a", "q", "assistant", "root", "") +
	rec("qa", "a", "user", "A?", "") + rec("aa", "qa", "assistant", "A", "") +
	rec("qb", "a", "user", "B?", "") + rec("ab", "qb", "assistant", "B", "") +
	`{"type":"last-prompt","leafUuid":"ab","sessionId":"` + sessionID + `"}` + "\n"

func extent(t *testing.T, path string, o agent.OpenOptions) agent.Extent {
	t.Helper()
	s, err := claude.New().Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	return agent.ExtentOf(s)
}

func TestAdditionsFollowTheBranchThatWasHandedOver(t *testing.T) {
	for _, c := range []struct {
		name, leaf, more string
		other            bool
		want             []string
	}{
		{"the active branch", "", "", false, []string{"root?", "root", "B?", "B", "new?", "new"}},
		{"the active branch, by its leaf", "ab", "", false, []string{"root?", "root", "B?", "B", "new?", "new"}},
		{"another branch", "aa", "", true, []string{"root?", "root", "A?", "A", "new?", "new"}},
		{"the active branch has gone on", "ab", rec("qc", "ab", "user", "C?", "") + rec("ac", "qc", "assistant", "C", ""), false, []string{"root?", "root", "B?", "B", "C?", "C", "new?", "new"}},
		{"the other branch has gone on", "aa", rec("qc", "aa", "user", "C?", "") + rec("ac", "qc", "assistant", "C", ""), true, []string{"root?", "root", "A?", "A", "C?", "C", "new?", "new"}},
		{"what both branches have was handed over", "a", "", false, []string{"root?", "root", "B?", "B", "new?", "new"}},
		{"a leaf that is gone", "lost", "", false, []string{"root?", "root", "B?", "B", "new?", "new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := put(t, branches+c.more)
			o := agent.MergeOptions{WriteOptions: writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv}), Leaf: c.leaf}
			w, err := claude.New().Merge(t.Context(), path, stream(typed("new?"), said(text("new"))), o)
			if err != nil {
				t.Fatal(err)
			}
			if w.OtherBranch != c.other {
				t.Errorf("another branch: %v, want %v", w.OtherBranch, c.other)
			}
			got := read(t, w.Path).lines
			var texts []string
			for _, l := range got {
				if _, say, ok := strings.Cut(l, "text "); ok {
					texts = append(texts, strings.Trim(strings.TrimSpace(say), `"`))
				}
			}
			same(t, texts, c.want...)
			for l := range strings.Lines(branches + c.more) {
				id := l[strings.Index(l, `"uuid"`)+1:]
				if strings.Contains(l, `"uuid"`) && !strings.Contains(strings.Join(fileLines(t, w.Path), "\n"), id[:len(`uuid":"a"`)]) {
					t.Errorf("the copy lacks %s", l)
				}
			}
		})
	}
}

func TestExtentTellsWhatWasSaidFromWhatIsNoted(t *testing.T) {
	said := rec("q", "", "user", "root?", "") + rec("a", "q", "assistant", "root", "")
	was := extent(t, put(t, said), agent.OpenOptions{})
	if want := (agent.Extent{Records: int64(len(said)) - 1, Said: int64(len(said)) - 1, Leaf: "a"}); was != want {
		t.Errorf("%+v, want %+v", was, want)
	}
	for name, noted := range map[string]string{
		"a mode":            `{"type":"mode","mode":"normal","sessionId":"` + sessionID + `"}` + "\n",
		"a title":           `{"type":"custom-title","customTitle":"x","sessionId":"` + sessionID + `"}` + "\n",
		"a command":         rec("c", "a", "user", `<command-name>/exit</command-name>`, ""),
		"a reminder":        rec("c", "a", "user", "Caveat: x", `,"isMeta":true`),
		"a summary":         rec("c", "a", "user", "Summary", `,"isCompactSummary":true`),
		"an error":          rec("c", "a", "assistant", "API Error", `,"isApiErrorMessage":true`),
		"a torn last line":  `{"type":"user","mess`,
		"a compaction mark": `{"type":"system","subtype":"compact_boundary","uuid":"c","parentUuid":null,"logicalParentUuid":"a","sessionId":"` + sessionID + `"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			now := extent(t, put(t, said+noted), agent.OpenOptions{})
			if now.Said != was.Said {
				t.Errorf("somebody said something up to %d, want %d", now.Said, was.Said)
			}
			if torn := !strings.HasSuffix(noted, "\n"); torn != (now.Records == was.Records) {
				t.Errorf("the records end at %d of %d", now.Records, len(said+noted))
			}
		})
	}
	more := rec("q2", "a", "user", "more?", "")
	if now := extent(t, put(t, said+more), agent.OpenOptions{}); now.Said <= was.Said || now.Leaf != "q2" {
		t.Errorf("%+v after a prompt", now)
	}
	if then := extent(t, put(t, said+more), agent.OpenOptions{Lines: 2}); then != was {
		t.Errorf("its first two lines go up to %+v, want %+v", then, was)
	}
}

func TestForkNamesTheSessionItCameFrom(t *testing.T) {
	fork := rec("q", "", "user", "root?", "") + rec("a", "q", "assistant", "root", `,"requestSessionId":"019e0000-0000-7000-8000-000000000001"`)
	if got := read(t, put(t, fork)).thread.ForkedFrom; got != "019e0000-0000-7000-8000-000000000001" {
		t.Errorf("forked from %q", got)
	}
	if got := read(t, put(t, branches)).thread.ForkedFrom; got != "" {
		t.Errorf("a session that is none is forked from %q", got)
	}
	own := rec("a", "", "assistant", "root", `,"requestSessionId":"`+sessionID+`"`)
	if got := read(t, put(t, own)).thread.ForkedFrom; got != "" {
		t.Errorf("a session is forked from itself: %q", got)
	}
}

func TestNothingIsAddedToASubagentsSession(t *testing.T) {
	path := put(t, strings.ReplaceAll(branches, `"isSidechain":false`, `"isSidechain":true`))
	o := agent.MergeOptions{WriteOptions: writeOptions(agent.Home{Dir: t.TempDir(), Getenv: noEnv})}
	if _, err := claude.New().Merge(t.Context(), path, stream(typed("new?")), o); !errors.Is(err, agent.ErrNotResumed) {
		t.Errorf("merge: %v", err)
	}
}

func TestCopyOfAnEarlierStateEndsAtARecord(t *testing.T) {
	path := put(t, branches)
	for name, size := range map[string]int64{"in a record": 100, "past the end": int64(len(branches)) + 1} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			o := agent.MergeOptions{WriteOptions: writeOptions(agent.Home{Dir: home, Getenv: noEnv}), Size: size}
			if _, err := claude.New().Merge(t.Context(), path, stream(typed("new?")), o); err == nil || !strings.Contains(err.Error(), "no record ends") {
				t.Errorf("merge: %v", err)
			}
			if left, err := os.ReadDir(filepath.Join(home)); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}
