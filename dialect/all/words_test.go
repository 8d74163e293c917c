package all_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

// A result of ToolSearch names the tools in blocks of their own: another dialect's
// model reads their names, however many there are and whatever stands beside them.
func TestToolsThatASearchFoundAreNamed(t *testing.T) {
	reference := func(name string) string { return `{"type":"tool_reference","tool_name":"` + name + `"}` }
	for what, content := range map[string]string{
		"one": reference("mcp__a__b"), "two": reference("mcp__a__b") + "," + reference("Gr\\u00f6\\\"\\u00dfe"),
		"beside a text": `{"type":"text","text":"found"},` + reference("mcp__a__b"),
	} {
		for _, up := range all.Codecs() {
			t.Run(what+" on "+up.Name(), func(t *testing.T) {
				body := fmt.Sprintf(`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"a"},`+
					`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"ToolSearch","input":{"query":"b"}}]},`+
					`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[%s]}]}]}`, content)
				q, err := codec(t, "anthropic").DecodeRequest([]byte(body))
				if err != nil {
					t.Fatal(err)
				}
				var r canon.Report
				out, err := up.EncodeRequest(nil, q, &dialect.Target{}, &r)
				if err != nil {
					t.Fatal(err)
				}
				got, err := up.DecodeRequest(out)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.ReplaceAll(dialecttest.Format(got), `\\\"`, `\"`)
				for i, name := range []string{"mcp__a__b", `Grö\"ße`} {
					if i < strings.Count(content, "tool_reference") && up.Name() != "anthropic" && !strings.Contains(text, name) {
						t.Errorf("no %s in %s", name, text)
					}
				}
				if is := strings.Contains(string(out), `"tool_reference"`); is != (up.Name() == "anthropic") {
					t.Errorf("%s", out)
				}
				if losses := dialecttest.FormatLosses(&r); up.Name() != "anthropic" && strings.Count(losses, "tool_reference") != strings.Count(content, "tool_reference") {
					t.Errorf("losses %s", losses)
				}
				if err := r.Balance(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
