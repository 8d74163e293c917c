package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/internal/fixture"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

func readLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestAReportIsWrittenWithItsVerdict(t *testing.T) {
	s := plant(t, "claude-dangling-parent")
	r, err := Check(context.Background(), s.path, s.options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	type finding struct {
		Rule, Severity, Effect string
		Line                   int
	}
	var got, want struct {
		Agent, Verdict string
		Records        int
		Reachable      struct {
			Chain, All int
			Share      float64
		}
		Findings []finding
	}
	want.Agent, want.Verdict, want.Records = "claude", "loses-history", 6
	want.Reachable.Chain, want.Reachable.All, want.Reachable.Share = 2, 6, 0.3333
	want.Findings = []finding{{"claude-dangling-parent", "error", "history-lost", 5}}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", text, diff)
	}
	clean := plant(t, "clean-claude")
	if r, err = Check(context.Background(), clean.path, clean.options); err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(r); err != nil || !strings.Contains(string(text), `"findings":[]`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestRulesAreWrittenForDocumentation(t *testing.T) {
	text, err := json.Marshal(Rules())
	if err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	var want []map[string]any
	for _, r := range Rules() {
		w := map[string]any{
			"id": r.ID, "agent": r.Agent, "severity": string(r.Severity), "effect": string(r.Effect),
			"summary": r.Summary, "remedy": r.Remedy, "evidence": r.Evidence,
		}
		if r.Repair != "" {
			w["repair"] = r.Repair
		}
		if r.Place {
			w["place"] = true
		}
		for name, v := range w {
			if v == "" {
				t.Errorf("rule %q has no %s", r.ID, name)
			}
		}
		want = append(want, w)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsOfOneRuleAreLimited(t *testing.T) {
	s := plant(t, "claude-missing-uuid")
	r, err := Check(context.Background(), s.path, Options{MaxPerRule: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 2 || r.Omitted["claude-missing-uuid"] != 2 || r.Count(Error) != 4 || r.Count(Warning) != 0 {
		t.Errorf("%d findings, omitted %v, %d errors", len(r.Findings), r.Omitted, r.Count(Error))
	}
}

func TestAFileOfAnotherAgentIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	write(t, path, []byte(`{"type":"session.start","data":{}}`+"\n"))
	_, err := Check(context.Background(), path, Options{})
	if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "GitHub Copilot CLI") {
		t.Errorf("error %v", err)
	}
	write(t, path, []byte("no session\n"))
	if _, err = Check(context.Background(), path, Options{}); !errors.Is(err, ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	if _, err = Check(context.Background(), filepath.Dir(path), Options{}); err == nil {
		t.Error("a folder was checked")
	}
}

func TestACheckEndsWithItsContext(t *testing.T) {
	s := plant(t, "clean-codex")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, s.path, s.options); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestProgressIsTold(t *testing.T) {
	s := plant(t, "clean-codex")
	var last, size int64
	_, err := Check(context.Background(), s.path, Options{Progress: func(done, of int64) { last, size = done, of }})
	if err != nil || last == 0 || last != size {
		t.Errorf("%d of %d, %v", last, size, err)
	}
}

func TestARepairNeverOverwrites(t *testing.T) {
	s := plant(t, "claude-second-root")
	before := readLines(t, s.path)
	taken := filepath.Join(t.TempDir(), claudeName)
	write(t, taken, []byte("mine"))
	for _, out := range []string{s.path, taken} {
		if _, err := Repair(context.Background(), s.path, out, s.options); !errors.Is(err, fs.ErrExist) {
			t.Errorf("error %v", err)
		}
	}
	if !slices.Equal(readLines(t, s.path), before) || readLines(t, taken)[0] != "mine" {
		t.Error("a file was changed")
	}
}

func TestWhatCannotBeRepairedIsNotWritten(t *testing.T) {
	for _, name := range []string{"claude-no-messages", "codex-empty"} {
		s := plant(t, name)
		out := filepath.Join(t.TempDir(), filepath.Base(s.path))
		_, err := Repair(context.Background(), s.path, out, s.options)
		var left *RemainingError
		if !errors.As(err, &left) || left.Findings[0].Rule != name {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file was left", name)
		}
	}
}

func TestRecordsWithoutDefectAreCopied(t *testing.T) {
	for name, changed := range map[string]int{"claude-second-root": 1, "claude-unsigned-thinking": 1, "codex-timestamp": 1, "codex-bare-reasoning": 1} {
		s := plant(t, name)
		before := readLines(t, s.path)
		_, out := repaired(t, s)
		after := readLines(t, out)
		gone := 0
		for _, line := range before {
			if !slices.Contains(after, line) {
				gone++
			}
		}
		if gone != changed {
			t.Errorf("%s: %d records are not as they were, want %d", name, gone, changed)
		}
	}
}

func TestACleanFileIsCopied(t *testing.T) {
	for _, name := range []string{"clean-claude", "clean-claude-compacted", "clean-codex", "clean-codex-paginated", "clean-codex-compacted"} {
		s := plant(t, name)
		r, out := repaired(t, s)
		one, two := readLines(t, s.path), readLines(t, out)
		if len(r.Changes) > 0 || !slices.Equal(one, two) {
			t.Errorf("%s: changes %+v", name, r.Changes)
		}
	}
}

// A second repair changes nothing, and two repairs of one file are alike.
func TestARepairIsRepeatable(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Repair == "" {
			continue
		}
		s := plant(t, rule.ID)
		_, out := repaired(t, s)
		_, same := repaired(t, s)
		if one, two := readLines(t, out), readLines(t, same); !slices.Equal(one, two) {
			t.Errorf("%s: two repairs differ", rule.ID)
		}
		again, third := repaired(t, seed{rule: rule.ID, path: out, options: s.options})
		if one, two := readLines(t, out), readLines(t, third); !slices.Equal(one, two) {
			t.Errorf("%s: the second repair changes %+v", rule.ID, again.Changes)
		}
	}
}

func TestARepairedFileIsPrivate(t *testing.T) {
	s := plant(t, "codex-bom")
	_, out := repaired(t, s)
	info, err := os.Stat(out)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestAnEntryOfTheIndexIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(claudeEntry{}); size > 64 {
		t.Errorf("%d bytes a record", size)
	}
}

// Work that grows with the square of a file where it is done without care.
func TestHostileFilesTakeNoLongerThanOthers(t *testing.T) {
	repeat := func(name, head string, line func(i int) string) {
		t.Run(name, func(t *testing.T) {
			fixture.InProportion(t, 60_000, func(n int) time.Duration {
				var b bytes.Buffer
				b.WriteString(head)
				for i := range n {
					b.WriteString(line(i))
					b.WriteByte('\n')
				}
				path := filepath.Join(t.TempDir(), claudeName)
				if head != "" {
					path = filepath.Join(t.TempDir(), codexName1)
				}
				write(t, path, b.Bytes())
				return fixture.Time(func() {
					if _, err := Check(t.Context(), path, Options{}); err != nil {
						t.Fatal(err)
					}
				})
			})
		})
	}
	const at = `"timestamp":"2026-11-30T10:00:00.000Z"`
	num := func(i int) string { return string(number(uint64(i))) }
	repeat("dangling parents at one time", "", func(i int) string {
		return `{` + at + `,"type":"user","uuid":"u` + num(i) + `","parentUuid":"gone","message":{"role":"user","content":"x"}}`
	})
	repeat("unanswered calls in one message", "", func(i int) string {
		return `{` + at + `,"type":"assistant","uuid":"u` + num(i) + `","parentUuid":"u` + num(max(0, i-1)) + `","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t` + num(i) + `","name":"A","input":{}}]}}`
	})
	repeat("one uuid", "", func(int) string {
		return `{` + at + `,"type":"user","uuid":"u","parentUuid":"u","message":{"role":"user","content":"x"}}`
	})
	repeat("progress chains", "", func(i int) string {
		return `{` + at + `,"type":"progress","uuid":"u` + num(i) + `","parentUuid":"u` + num(i+1) + `"}`
	})
	meta := `{` + at + `,"type":"session_meta","payload":{"id":"` + codexID + `",` + at + `,"cwd":"/w","originator":"codex","cli_version":"1"}}` + "\n"
	repeat("rollbacks", meta, func(i int) string {
		switch i % 3 {
		case 0:
			return `{` + at + `,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}}`
		case 1:
			return `{` + at + `,"type":"response_item","payload":{"type":"function_call","name":"a","arguments":"","call_id":"c` + num(i) + `"}}`
		}
		return `{` + at + `,"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}`
	})
}

// A line takes time in proportion to its length, whatever is in it.
func TestDamagedLinesTakeNoLongerThanTheirLengthAllows(t *testing.T) {
	const at = `"timestamp":"2026-11-30T10:00:00.000Z"`
	meta := `{` + at + `,"type":"session_meta","payload":{"id":"` + codexID + `",` + at + `,"cwd":"/w","originator":"codex","cli_version":"1"}}` + "\n"
	for name, unit := range map[string]string{
		"glued records": `{"type":"a"}`, "NUL bytes": "{\"a\x00", "broken records": `{"type":"x`, "broken members": `{"type":"x",`,
		"objects": `{"type":`, "lists": `{"id":[`, "values": `1 `, "no UTF-8": "{\"type\":1}\xff",
	} {
		for place, head := range map[string]string{claudeName: "", codexName1: meta} {
			t.Run(name+" in "+place, func(t *testing.T) {
				fixture.InProportion(t, 1<<20, func(size int) time.Duration {
					path := filepath.Join(t.TempDir(), place)
					write(t, path, []byte(head+strings.Repeat(unit, size/len(unit))+"\n"))
					return fixture.Time(func() { _, _ = Check(t.Context(), path, Options{}) }) // whatever it is taken for
				})
			})
		}
	}
}

// A refused repair names lines of the file, not of what it tried to make of it.
func TestARefusedRepairNamesLinesOfTheFile(t *testing.T) {
	const file = `{"type": "response_item", "payload": {"type": "local_shell_call", "call_id": {}}}` + "\n"
	path := filepath.Join(t.TempDir(), codexName1)
	write(t, path, []byte(file))
	_, err := Repair(t.Context(), path, filepath.Join(t.TempDir(), codexName1), Options{})
	var remaining *RemainingError
	if !errors.As(err, &remaining) {
		t.Fatal(err)
	}
	for _, f := range remaining.Findings {
		if f.Line > 1 {
			t.Errorf("%s in line %d of a file of one line", f.Rule, f.Line)
		}
	}
	want := fmt.Sprintf("repair %q: nothing was written, since the copy would not resume: ", path)
	for i, f := range remaining.Findings {
		if i > 0 {
			want += "\n"
		}
		if f.Line > 0 {
			want += fmt.Sprintf("line %d: ", f.Line)
		}
		want += f.Message + " [" + f.Rule + "]"
		if newCatalog()[f.Rule].Repair == "" {
			want += "; " + f.Remedy
		}
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// A content of another kind than the format has is read as what it holds; what
// holds nothing does not stop the repair.
func TestContentOfAnotherKindIsRepaired(t *testing.T) {
	for _, c := range []struct{ content, codex, claude string }{
		{`{}`, `[]`, ""},
		{`null`, `[]`, ""},
		{`7`, `[{"type":"output_text","text":"7"}]`, ""},
		{`true`, `[{"type":"output_text","text":"true"}]`, ""},
		{`{"type":"output_text","text":"Welcome."}`, `[{"type":"output_text","text":"Welcome."}]`, `[{"type":"text","text":"Welcome."}]`},
		{`{"type":"text","text":"Welcome."}`, `[{"type":"output_text","text":"Welcome."}]`, `[{"type":"text","text":"Welcome."}]`},
		{`{"a":1}`, `[{"type":"output_text","text":"{\"a\":1}"}]`, ""},
		{`[7]`, `[{"type":"output_text","text":"7"}]`, ""},
		{`"Welcome."`, `[{"type":"output_text","text":"Welcome."}]`, `"Welcome."`},
	} {
		for _, seed := range []struct{ name, was, want string }{
			{"clean-codex", `[{"type":"output_text","text":"You are welcome."}]`, c.codex}, {"clean-claude", `[{"type":"text","text":"You are welcome."}]`, c.claude},
		} {
			t.Run(seed.name+" "+c.content, func(t *testing.T) {
				s := plant(t, seed.name)
				data, err := os.ReadFile(s.path)
				if err != nil || !bytes.Contains(data, []byte(seed.was)) {
					t.Fatalf("%v in\n%s", err, data)
				}
				write(t, s.path, bytes.Replace(data, []byte(seed.was), []byte(c.content), 1))
				_, out := repaired(t, s)
				const at = 10 // the line
				got := readLines(t, out)[at]
				if seed.want == "" {
					if getString(jsonx.Raw(got), "type") != "system" {
						t.Errorf("no notice: %s", got)
					}
					return
				}
				if diff := cmp.Diff(strings.Replace(strings.Split(string(data), "\n")[at], seed.was, seed.want, 1), got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		}
	}
}
