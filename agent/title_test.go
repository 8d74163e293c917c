package agent_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

func TestTitleIsTheFirstLineOfAPrompt(t *testing.T) {
	for prompt, want := range map[string]string{
		"fix it":                        "fix it",
		"  fix it  \nsoon":              "fix it",
		"\r\n\tfix it\r\nsoon":          "fix it",
		"":                              "",
		" \n ":                          "",
		strings.Repeat("é", 100):        strings.Repeat("é", 100),
		strings.Repeat("é", 101):        strings.Repeat("é", 99) + "…",
		strings.Repeat("a", 98) + "  x": strings.Repeat("a", 98) + "…",
		// Half of what may be a key is not shown: nothing would mask it.
		"use " + strings.Repeat("k", 100):                                "use " + strings.Repeat("k", 8) + "…",
		strings.Repeat("word ", 19) + strings.Repeat("k", 40):            strings.Repeat("word ", 19) + "kkkk…",
		strings.Repeat("word ", 16) + strings.Repeat("k", 40):            strings.Repeat("word ", 16) + strings.Repeat("k", 8) + "…",
		"a " + strings.Repeat("k", 40) + " " + strings.Repeat("é ", 100): "a " + strings.Repeat("k", 40) + " " + strings.Repeat("é ", 27) + "é…",
	} {
		if got := agent.TitleFrom(prompt); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

func TestHandedOverTitleNamesTheOrigin(t *testing.T) {
	origin := &canon.Origin{Agent: "codex", ID: "x"}
	for name, tt := range map[string]struct {
		title  string
		origin *canon.Origin
		marker agent.Marker
		want   string
	}{
		"by name":                        {"Fix it", nil, agent.Marker{SourceAgent: "claude"}, "Fix it (from Claude Code)"},
		"by id if there is none":         {"Fix it", nil, agent.Marker{SourceAgent: "novel"}, "Fix it (from novel)"},
		"no title, no label":             {"", nil, agent.Marker{SourceAgent: "claude"}, ""},
		"no origin, no label":            {"Fix it", nil, agent.Marker{}, "Fix it"},
		"an earlier label gives way":     {"Fix it (from Codex)", origin, agent.Marker{SourceAgent: "claude"}, "Fix it (from Claude Code)"},
		"of a session that was handed":   {"Fix it (from Codex)", nil, agent.Marker{SourceAgent: "claude"}, "Fix it (from Codex) (from Claude Code)"},
		"a person's own words stay":      {"Fix it (from " + strings.Repeat("x", 41) + ")", origin, agent.Marker{SourceAgent: "C"}, "Fix it (from " + strings.Repeat("x", 41) + ") (from C)"},
		"words in parentheses stay":      {"Fix it (from (a) b)", origin, agent.Marker{SourceAgent: "C"}, "Fix it (from (a) b) (from C)"},
		"nothing but a label":            {" (from Codex)", origin, agent.Marker{SourceAgent: "C"}, ""},
		"only the last of several":       {"Fix (from A) (from B)", origin, agent.Marker{SourceAgent: "C"}, "Fix (from A) (from C)"},
		"a name that is none":            {"Fix it", nil, agent.Marker{SourceAgent: strings.Repeat("x", 41)}, "Fix it"},
		"a long title makes room for it": {strings.Repeat("é", 100), nil, agent.Marker{SourceAgent: "codex"}, strings.Repeat("é", 86) + "… (from Codex)"},
	} {
		t.Run(name, func(t *testing.T) {
			got := tt.marker.HandedOverTitle(&canon.Thread{Title: tt.title, Origin: tt.origin})
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if agent.TitleFrom(got) != got {
				t.Errorf("a listing cuts it to %q", agent.TitleFrom(got))
			}
		})
	}
}

func TestHeadIsCutBetweenCharacters(t *testing.T) {
	for _, s := range []string{"", "ascii text", "日本語日本語", "a😀b😀c", "x\ufffdy", `esc"aped\n`} {
		literal, _ := canon.LiteralText(jsonx.AppendQuote(nil, s))
		for n := range len(s) + 3 {
			for _, text := range []canon.Text{canon.NewText(s), literal} {
				got := agent.Head(text, n)
				if !strings.HasPrefix(s, got) || len(got) > n || !utf8.ValidString(got) || len(s)-len(got) >= utf8.UTFMax && n-len(got) >= utf8.UTFMax {
					t.Errorf("%q, %d: %q", s, n, got)
				}
			}
		}
	}
}

func TestNamesAreThoseOfTheManifests(t *testing.T) {
	for _, a := range all.Agents() {
		m, err := a.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if got := agent.DisplayName(m.ID); got != m.Name {
			t.Errorf("%q is called %q, its manifest says %q", m.ID, got, m.Name)
		}
	}
}
