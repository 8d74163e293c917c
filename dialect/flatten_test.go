package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// functions takes nothing but functions of short names.
var functions = &canon.Capacity{Dialect: "x", CallIDs: canon.Grammar{Max: 64, Extra: "_-"}, Names: canon.Grammar{Max: 20, Extra: "_"}}

func toolOf(namespace, name string, call canon.CallKind) canon.Tool {
	return canon.Tool{Namespace: namespace, Name: name, Call: call}
}

func names(tools []canon.Tool) (out []string) {
	for _, t := range tools {
		out = append(out, fmt.Sprintf("%s %s", t.Call, canon.ToolName{Namespace: t.Namespace, Name: t.Name}))
	}
	return out
}

func TestToolsGetAFormThatTheTargetHas(t *testing.T) {
	long := strings.Repeat("long_", 6)
	for name, tt := range map[string]struct {
		tools  []canon.Tool
		want   []string
		losses int
	}{
		"functions of legal names stay": {[]canon.Tool{toolOf("", "Read", canon.CallFunction)}, []string{"function Read"}, 0},
		"a namespace joins the name":    {[]canon.Tool{toolOf("docs", "find", canon.CallFunction)}, []string{"function docs__find"}, 1},
		"free text":                     {[]canon.Tool{toolOf("", "patch", canon.CallCustom)}, []string{"function patch"}, 1},
		"a shell":                       {[]canon.Tool{toolOf("", "local_shell", canon.CallShell)}, []string{"function local_shell"}, 1},
		"an illegal character":          {[]canon.Tool{toolOf("", "a.b", canon.CallFunction)}, []string{"function " + canon.LegalID("a.b", functions.Names)}, 1},
		"a long name":                   {[]canon.Tool{toolOf("", long, canon.CallFunction)}, []string{"function " + canon.LegalID(long, functions.Names)}, 1},
		"another one has the name": {
			[]canon.Tool{toolOf("docs", "find", canon.CallFunction), toolOf("", "docs__find", canon.CallFunction)},
			[]string{"function docs__find_2", "function docs__find"},
			1,
		},
		"a provider's tool of the dialect": {[]canon.Tool{{Name: "search", Call: canon.CallProvider, Dialect: "x", Raw: canon.Raw(`{}`)}}, []string{"provider search"}, 0},
		"a provider's tool of another":     {[]canon.Tool{{Name: "search", Call: canon.CallProvider, Dialect: "y", Raw: canon.Raw(`{}`)}}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			q := &canon.Request{Tools: tt.tools}
			var r canon.Report
			dialect.Flatten(q, functions, &r)
			if got := names(q.Tools); !slices.Equal(got, tt.want) || len(r.Losses) != tt.losses {
				t.Errorf("%q, %d losses %+v", got, len(r.Losses), r.Losses)
			}
			var again canon.Report
			before := names(q.Tools)
			dialect.Flatten(q, functions, &again)
			if !slices.Equal(before, names(q.Tools)) || len(again.Losses) > 0 {
				t.Errorf("the second time %q, %+v", names(q.Tools), again.Losses)
			}
		})
	}
}

// Whatever tools a caller declares, no two have one name for the target, the calls
// of the conversation are of declared tools, and a call of an answer comes back
// as the caller declared it, streamed or not.
func TestCallsComeBackAsTheCallerDeclaredThem(t *testing.T) {
	name := rapid.SampledFrom([]string{"a", "b", "a__b", "a.b", "a-b", "Read", strings.Repeat("x", 30), strings.Repeat("x", 31)})
	kind := rapid.SampledFrom([]canon.CallKind{canon.CallFunction, canon.CallCustom})
	rapid.Check(t, func(t *rapid.T) {
		q := &canon.Request{}
		seen := make(map[canon.ToolName]bool)
		for range rapid.IntRange(1, 6).Draw(t, "tools") {
			x := toolOf(rapid.SampledFrom([]string{"", "a", "ns.x"}).Draw(t, "namespace"), name.Draw(t, "name"), kind.Draw(t, "kind"))
			if key := (canon.ToolName{Namespace: x.Namespace, Name: x.Name}); !seen[key] {
				seen[key] = true
				q.Tools = append(q.Tools, x)
			}
		}
		declared := slices.Clone(q.Tools)
		for i, x := range declared {
			in := canon.Input{JSON: canon.Raw(`{"k":1}`)}
			if x.Call == canon.CallCustom {
				in = canon.Input{Text: canon.NewText("free \"text\"")}
			}
			q.Messages = append(q.Messages, &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{
				&canon.ToolCallBlock{CallID: fmt.Sprint(i), Name: x.Name, Namespace: x.Namespace, Call: x.Call, Input: in},
			}})
		}
		flat := dialect.Flatten(q, functions, new(canon.Report))
		used := make(map[string]bool)
		for i, x := range q.Tools {
			call := q.Messages[i].Blocks[0].(*canon.ToolCallBlock)
			if used[x.Name] || !functions.Names.Legal(x.Name) || x.Call != canon.CallFunction || call.Name != x.Name || call.Call != canon.CallFunction || call.Namespace != "" {
				t.Fatalf("%q: tool %+v, call %+v", names(q.Tools), x, call)
			}
			used[x.Name] = true
			comesBack(t, flat, call, &declared[i])
		}
	})
}

func comesBack(t *rapid.T, flat *dialect.Flat, call *canon.ToolCallBlock, want *canon.Tool) {
	a := &canon.Response{Blocks: []canon.Block{call}, Stop: canon.Stop{Reason: canon.StopToolCall}}
	var f canon.Folder
	next := flat.Events(f.Add)
	for e := range a.Events() {
		if err := next(e); err != nil {
			t.Fatal(err)
		}
	}
	streamed, err := f.Response()
	if err != nil {
		t.Fatal(err)
	}
	flat.Response(a)
	for _, b := range []canon.Block{a.Blocks[0], streamed.Blocks[0]} {
		got := b.(*canon.ToolCallBlock)
		input := string(got.Input.JSON) == `{"k":1}`
		if want.Call == canon.CallCustom {
			input = got.Input.Text.String() == "free \"text\"" && got.Input.JSON == nil
		}
		if got.Name != want.Name || got.Namespace != want.Namespace || got.Call != want.Call || !input {
			t.Fatalf("%+v came back as %+v", want, got)
		}
	}
}

func TestAChoiceFollowsItsTool(t *testing.T) {
	one := func(namespace, name string) canon.ToolChoice {
		return canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Namespace: namespace, Name: name}}}
	}
	for name, tt := range map[string]struct {
		choice canon.ToolChoice
		want   string
	}{
		"renamed":      {one("docs", "find"), "one_of docs__find"},
		"as it is":     {one("", "Read"), "one_of Read"},
		"not declared": {one("", "Gone"), "auto"},
		"dropped":      {one("", "search"), "auto"},
	} {
		t.Run(name, func(t *testing.T) {
			q := &canon.Request{Choice: tt.choice, Tools: []canon.Tool{
				toolOf("docs", "find", canon.CallFunction), toolOf("", "Read", canon.CallFunction), {Name: "search", Call: canon.CallProvider, Dialect: "y"},
			}}
			dialect.Flatten(q, functions, new(canon.Report))
			got := string(q.Choice.Mode)
			for _, n := range q.Choice.Names {
				got += " " + n.String()
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
