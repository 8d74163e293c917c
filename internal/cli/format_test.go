package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

// hostile are pieces of text that mean something to a shell, a terminal or the
// eye.
var hostile = []string{
	"a", "path/", " ", "'", `"`, `\`, "$", "`", "$(id)", "${HOME}", "!", "*", "~", "#", "&", ";", "|", "\n", "\t", "\r", "é", "漢", "👍",
	"\x1b", "\x1b[31m", "\x07", "\x7f", "\u009b", "\u202e", "\u200b", "\u200d", "\ufeff", "\U000e0041", "\ufffd", "=", "-", "0", "f", "x41",
}

func TestShellReadsWordsBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed; CI has it")
	}
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Map(rapid.SliceOf(rapid.SampledFrom(hostile)), func(s []string) string { return strings.Join(s, "") }), 1, 40).Draw(t, "words")
		script := "printf '%s\\0'"
		for _, w := range words {
			quoted := shellWord(w)
			if visible(quoted) != quoted || strings.ContainsAny(quoted, "\n\t") {
				t.Fatalf("%q is written %q", w, quoted)
			}
			script += " " + quoted
		}
		out, err := exec.CommandContext(context.Background(), bash, "--norc", "-c", script).Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Join(words, "\x00")+"\x00", string(out)); diff != "" {
			t.Fatalf("words (-want +got):\n%s", diff)
		}
	})
}

func TestShellCommand(t *testing.T) {
	for _, c := range []struct {
		r    handoff.Resume
		want string
	}{
		{handoff.Resume{Dir: "/work", Argv: []string{"codex", "resume", "id-1"}}, "cd /work && codex resume id-1"},
		{handoff.Resume{Argv: []string{"claude", "--resume", "id-1"}}, "claude --resume id-1"},
		{handoff.Resume{Dir: "/my work's", Argv: []string{"codex", ""}}, `cd '/my work'\''s' && codex ''`},
		{handoff.Resume{Dir: "/a\x1b[2Jb'", Argv: []string{"codex"}}, `cd $'/a\x1b[2Jb\'' && codex`},
		{handoff.Resume{Dir: "/\xff/é", Argv: []string{"codex"}}, `cd $'/\xff/é' && codex`},
	} {
		if got := shellCommand(&c.r); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// However the bytes come, JSON stays the same JSON and holds nothing that drives a
// terminal.
func TestPrintedJSONIsTheSameAndClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := strings.Join(rapid.SliceOf(rapid.SampledFrom(hostile)).Draw(t, "text"), "")
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, '\n')
		var out bytes.Buffer
		w := &unseenEscaper{w: &out}
		for len(text) > 0 {
			n := rapid.IntRange(1, len(text)).Draw(t, "piece")
			if m, err := w.Write(text[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			text = text[n:]
		}
		var got string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != value {
			t.Fatalf("%q became %q as %q, %v", value, got, out.String(), err)
		}
		if s := strings.TrimSuffix(out.String(), "\n"); strings.ContainsFunc(s, func(r rune) bool { return r != utf8.RuneError && unseen(r) }) {
			t.Fatalf("%q", s)
		}
	})
}

func TestShortIDsNameOneSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.StringMatching(`[ab]{1,12}`)).Draw(t, "ids")
		short := shortIDs(ids)
		for _, id := range ids {
			s := short(id)
			if len(s) < min(8, len(id)) || !strings.HasPrefix(id, s) {
				t.Fatalf("%q is called %q", id, s)
			}
			for _, other := range ids {
				if other != id && strings.HasPrefix(other, s) && s != id {
					t.Fatalf("%q fits %q and %q", s, id, other)
				}
			}
		}
	})
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		-time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		time.Hour: "1 h ago", 47 * time.Hour: "1 d ago", 59 * 24 * time.Hour: "59 d ago", 60 * 24 * time.Hour: "2026-10-02",
	} {
		if got := age(now, now.Add(-ago)); got != want {
			t.Errorf("%v before: %q, want %q", ago, got, want)
		}
	}
	if got := age(now, time.Time{}); got != "?" {
		t.Errorf("no time: %q", got)
	}
}

func TestWidthsAreThoseOfTheTerminal(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{cut("plain", 5), "plain"},
		{cut("plain\n text", 8), "plain t…"},
		{cut("漢字漢字", 5), "漢字…"},
		{cut("a\x1b[31mb", 8), `a\x1b[3…`},
		{cut("text", 0), "…"},
		{cutLeft("/a/long/path", 8), "…ng/path"},
		{cutLeft("/a/b", 8), "/a/b"},
		{pad("漢字", 6) + "|", "漢字  |"},
		{pad("long", 2) + "|", "long|"},
		{thousands(999) + thousands(10_000) + thousands(1_234_567), "99910 k1.2 M"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
