package handoff_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// plantedKey has the shape of a vendor's key; it is put together here so that
// no scanner takes this file for a leak.
var plantedKey = "sk-ant-" + "api03-" + strings.Repeat("Zq8Lm2Xw", 11) + "-abcdefAA"

// unit writes every character of s as an escape by code unit.
func unit(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// session makes a file of Claude Code that holds the key at one place, written
// as the JSON literal inside.
func session(t *testing.T, place, inside string) string {
	t.Helper()
	content := map[string]string{
		"prompt":  `[{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/w","timestamp":"2026-11-30T10:00:00.000Z","message":{"role":"user","content":"use KEY please"}}]`,
		"input":   `[{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/w","message":{"role":"user","content":"go"}},{"type":"assistant","uuid":"u2","parentUuid":"u1","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"curl -H KEY x","KEY":1}}]}},{"type":"user","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}]`,
		"result":  `[{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/w","message":{"role":"user","content":"go"}},{"type":"assistant","uuid":"u2","parentUuid":"u1","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}},{"type":"user","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"{\"key\": \"KEY\"}"}]}]}}]`,
		"title":   `[{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/w","message":{"role":"user","content":"go"}},{"type":"custom-title","customTitle":"about KEY"}]`,
		"branch":  `[{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/w","gitBranch":"KEY","message":{"role":"user","content":"go"}}]`,
		"mention": `[{"type":"user","uuid":"u1","parentUuid":null,"cwd":"/w","message":{"role":"user","content":"go"}},{"type":"attachment","uuid":"u2","parentUuid":"u1","attachment":{"type":"file","filename":"/w/.env","content":{"type":"text","file":{"content":"A=KEY"}}}}]`,
	}[place]
	var records []json.RawMessage
	if err := json.Unmarshal([]byte(content), &records); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range records {
		b.WriteString(strings.ReplaceAll(string(r), "KEY", inside) + "\n")
	}
	path := filepath.Join(t.TempDir(), "11111111-2222-4333-8444-555555555555.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// strings of v, names too.
func allStrings(v any, yield func(string)) {
	switch v := v.(type) {
	case string:
		yield(v)
		var inner any
		if json.Unmarshal([]byte(v), &inner) == nil {
			if _, number := inner.(float64); !number {
				allStrings(inner, yield)
			}
		}
	case []any:
		for _, e := range v {
			allStrings(e, yield)
		}
	case map[string]any:
		for k, e := range v {
			yield(k)
			allStrings(e, yield)
		}
	}
}

func TestRedactedKeyOccursNowhere(t *testing.T) {
	written := map[string]string{
		"as it is":             plantedKey,
		"escaped":              unit(plantedKey),
		"escaped in part":      strings.Replace(plantedKey, "ant", unit("ant"), 1),
		"escaped in its text":  strings.ReplaceAll(unit(plantedKey), `\`, `\\`),
		"with escaped letters": strings.ReplaceAll(plantedKey, "-", unit("-")),
	}
	for _, place := range []string{"prompt", "input", "result", "title", "branch", "mention"} {
		for how, inside := range written {
			cut := place == "title" // at 100 characters, before the key ends, so that nothing is left to be masked
			t.Run(place+"/"+how, func(t *testing.T) {
				path := session(t, place, inside)
				out := filepath.Join(t.TempDir(), "out.jsonl")
				o := handoff.Options{Redact: true, Now: noon, ID: "11111111-2222-4333-8444-666666666666"}
				res, err := handoff.Convert(t.Context(), claude.New(), path, codex.New(), out, o)
				if err != nil {
					t.Fatal(err)
				}
				if !cut && (len(res.Report.Secrets) == 0 || res.Report.Secrets[0].Rule != "anthropic-key") {
					t.Errorf("found %+v", res.Report.Secrets)
				}
				text, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				masked := false
				for line := range strings.Lines(string(text)) {
					var v any
					if err := json.Unmarshal([]byte(line), &v); err != nil {
						t.Fatalf("%v in %s", err, line)
					}
					allStrings(v, func(s string) {
						if strings.Contains(s, plantedKey[:len(plantedKey)/4]) || strings.Contains(s, unit(plantedKey)) {
							t.Errorf("the key is in %q", s)
						}
						masked = masked || strings.Contains(s, "[redacted:anthropic-key:")
					})
				}
				if !masked && !cut {
					t.Error("nothing stands in its place")
				}
			})
		}
	}
}

func TestKeysAreFoundWithoutBeingMasked(t *testing.T) {
	path := session(t, "input", plantedKey)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	res, err := handoff.Convert(t.Context(), claude.New(), path, codex.New(), out, handoff.Options{Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Report.Secrets) == 0 || res.Report.Secrets[0].Where != "line 2" {
		t.Errorf("found %+v", res.Report.Secrets)
	}
	if report, err := json.Marshal(&res.Report); err != nil || strings.Contains(string(report), plantedKey) {
		t.Error("the report tells the key ", err)
	}
}
