package canon_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/canon"
)

func calling(id, name string, kind canon.CallKind) *canon.ToolCallBlock {
	return &canon.ToolCallBlock{CallID: id, Name: name, Call: kind, Input: canon.Input{JSON: canon.Raw(`{}`)}}
}

func answering(id string, content ...canon.Block) *canon.ToolResultBlock {
	return &canon.ToolResultBlock{CallID: id, Content: content}
}

// plainCapacity takes text and calls of legal names, and nothing else.
func plainCapacity() *canon.Capacity {
	return &canon.Capacity{Dialect: "x", CallIDs: canon.Grammar{Max: 24, Extra: "_"}, Names: canon.Grammar{Max: 24, Extra: "_"}, MaxImage: 10, ImageTypes: []string{"image/png"}}
}

func TestFitGivesTheTargetWhatItTakes(t *testing.T) {
	user := func(blocks ...canon.Block) *canon.Message { return &canon.Message{Role: canon.User, Blocks: blocks} }
	answer := func(blocks ...canon.Block) *canon.Message {
		return &canon.Message{Role: canon.Assistant, Blocks: blocks}
	}
	system := func(blocks ...canon.Block) *canon.Message {
		return &canon.Message{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: blocks}
	}
	image := func(typ, data string) canon.Block {
		return &canon.ImageBlock{Media: canon.Media{MediaType: typ, Data: canon.NewText(data)}}
	}
	for name, tt := range map[string]struct {
		change func(*canon.Capacity)
		in     []*canon.Message
		want   []string
		losses []string
	}{
		"what it takes passes": {nil, []*canon.Message{user(text("a"), image("image/png", "AAAA"))}, []string{`user: text "a"`, `user: image image/png AAAA`}, nil},
		"blank text is dropped": {
			nil,
			[]*canon.Message{user(text(" \n"), text("a"))},
			[]string{`user: text "a"`},
			[]string{"dropped text: text without content"},
		},
		"unless it is taken": {func(c *canon.Capacity) { c.BlankText = true }, []*canon.Message{user(text(" "))}, []string{`user: text " "`}, nil},
		"gateway/E1: a billing line": {
			nil,
			[]*canon.Message{system(text("x-anthropic-billing-header: cc_version=2.1.332.a; cch=9b;")), system(text("Be brief.")), user(text("a"))},
			[]string{`system: text "Be brief."`, `user: text "a"`},
			[]string{"dropped text: the billing line is for its own vendor", "dropped message: nothing is left of the message"},
		},
		"gateway/E1: a billing line with text behind it": {
			nil,
			[]*canon.Message{system(text("x-anthropic-billing-header: cch=9b;\nBe brief.\nBe kind.")), user(text("a"))},
			[]string{`system: text "Be brief.\nBe kind."`, `user: text "a"`},
			[]string{"downgraded text: the billing line is for its own vendor"},
		},
		"gateway/E1: a billing line for its vendor": {
			func(c *canon.Capacity) { c.BillingLine = true },
			[]*canon.Message{system(text("x-anthropic-billing-header: cch=9b;")), user(text("a"))},
			[]string{`system: text "x-anthropic-billing-header: cch=9b;"`, `user: text "a"`},
			nil,
		},
		"gateway/E1: talk about a billing line": {
			nil,
			[]*canon.Message{system(text("Say x-anthropic-billing-header: 1")), user(text("x-anthropic-billing-header: 1")), system(text("x-anthropic-billing-header: 1"))},
			[]string{`system: text "Say x-anthropic-billing-header: 1"`, `user: text "x-anthropic-billing-header: 1"`, `system: text "x-anthropic-billing-header: 1"`},
			nil,
		},
		"a message of nothing is dropped": {
			nil,
			[]*canon.Message{user(text("")), user(text("a"))},
			[]string{`user: text "a"`},
			[]string{"dropped text: text without content", "dropped message: nothing is left of the message"},
		},
		"images past the limit": {
			nil,
			[]*canon.Message{user(image("image/png", "AAAAAAAAAAA"))},
			[]string{`user: text "[image left out: 11 bytes are more than the 10 that the target takes]"`},
			[]string{"downgraded image: 11 bytes are more than the 10 that the target takes"},
		},
		"images in an answer": {
			nil,
			[]*canon.Message{answer(image("image/png", "AAAA"))},
			[]string{`assistant: text "[image left out: an answer cannot hold an image there]"`},
			[]string{"downgraded image: an answer cannot hold an image there"},
		},
		"images without content": {
			nil, []*canon.Message{user(image("image/png", ""))}, []string{`user: text "[image left out: it has no content]"`}, []string{"downgraded image: it has no content"},
		},
		"images whose data is none": {
			nil, []*canon.Message{user(image("image/png", "!!!"))}, []string{`user: text "[image left out: its data is not base64]"`}, []string{"downgraded image: its data is not base64"},
		},
		"images that say another type": {
			func(c *canon.Capacity) {
				c.MaxImage, c.ImageTypes = 100, []string{"image/png", "image/jpeg", "image/webp"}
			},
			[]*canon.Message{user(image("image/png", "/9j/4AAQSkZJRgABAQ=="), image("", "iVBORw0KGgo="), image("image/jpeg", "UklGRhAAAABXRUJQ"), image("image/png", "iVBORw0KGgo="))},
			[]string{`user: image image/jpeg /9j/4AAQSkZJRgABAQ==`, `user: image image/png iVBORw0KGgo=`, `user: image image/webp UklGRhAAAABXRUJQ`, `user: image image/png iVBORw0KGgo=`},
			[]string{
				`renamed image: its data is of type image/jpeg, and not "image/png"`, `renamed image: its data is of type image/png, and not ""`,
				`renamed image: its data is of type image/webp, and not "image/jpeg"`,
			},
		},
		"images of a type that is not taken, whatever they say": {
			nil,
			[]*canon.Message{user(image("image/png", "R0lGODlh"))},
			[]string{`user: text "[image left out: the target does not take images of type \"image/gif\"]"`},
			[]string{`renamed image: its data is of type image/gif, and not "image/png"`, `downgraded image: the target does not take images of type "image/gif"`},
		},
		"documents": {
			nil,
			[]*canon.Message{user(&canon.DocumentBlock{Media: canon.Media{Plain: canon.NewText("plain")}}, &canon.DocumentBlock{Media: canon.Media{MediaType: "application/pdf", Data: canon.NewText("JVBERi0="), Name: "a.pdf"}})},
			[]string{`user: text "plain"`, `user: text "[document a.pdf left out: the target does not take it]"`},
			[]string{"downgraded document: the target does not take such documents", "downgraded document: the target does not take such documents"},
		},
		"reasoning of anybody": {
			nil,
			[]*canon.Message{answer(&canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: "x"}}, text("a"))},
			[]string{`assistant: text "a"`},
			[]string{"dropped reasoning: reasoning belongs to the vendor that issued it"},
		},
		"what only another dialect has": {
			nil,
			[]*canon.Message{user(&canon.OpaqueBlock{Dialect: "y", Type: "novel", Raw: canon.Raw(`{}`)}, &canon.OpaqueBlock{Dialect: "x", Type: "own", Raw: canon.Raw(`{}`)})},
			[]string{`user: other x own {}`},
			[]string{`dropped other: "novel" exists only in the y dialect`},
		},
		"members that only another dialect has": {
			nil,
			[]*canon.Message{{Role: canon.User, Ext: canon.Ext{Dialect: "y", Members: []canon.Member{{Name: "phase"}}}, Blocks: []canon.Block{&canon.TextBlock{BlockMeta: canon.BlockMeta{Ext: canon.Ext{Dialect: "y", Members: []canon.Member{{Name: "cache"}}}}, Text: canon.NewText("a")}}}},
			[]string{`user: text "a"`},
			[]string{"dropped cache: exists only in the y dialect", "dropped phase: exists only in the y dialect"},
		},
		"ids and names that it refuses": {
			nil,
			[]*canon.Message{answer(calling("a|b", "x.y", canon.CallFunction), calling("ok", "", canon.CallFunction)), user(answering("a|b"), answering("ok"))},
			[]string{"assistant: call a_b_ALIAS x_y_ALIAS {}", "assistant: call ok unnamed_tool {}", "user: result a_b_ALIAS", "user: result ok"},
			[]string{"renamed tool_call id: the target's API refuses the id", "renamed tool_call name: the target's API refuses the name", "renamed tool_call name: the target's API refuses the name"},
		},
		"a result is of its call's kind": {
			nil, []*canon.Message{answer(calling("c", "f", canon.CallCustom)), user(answering("c", text("x")))}, []string{"assistant: call c custom f {}", `user: result c "x"`}, nil,
		},
		"errors where there is no flag": {
			nil,
			[]*canon.Message{answer(calling("c", "f", canon.CallFunction)), user(&canon.ToolResultBlock{CallID: "c", IsError: true})},
			[]string{"assistant: call c f {}", "user: result c"},
			[]string{"downgraded is_error: the target has no error flag; the text stays"},
		},
		"a beginning with an answer": {
			func(c *canon.Capacity) { c.UserFirst = true },
			[]*canon.Message{answer(text("a")), user(text("b"))},
			[]string{`user injected: text "[The earlier part of this session was not handed over.]" (synthesized)`, `assistant: text "a"`, `user: text "b"`},
			[]string{"synthesized text: a session of this agent begins with the user"},
		},
		"an opening of an earlier hand-over": {
			nil,
			[]*canon.Message{{Role: canon.User, Kind: canon.Injected, Blocks: []canon.Block{text(canon.Opening)}}, answer(text("a"))},
			[]string{`assistant: text "a"`},
			[]string{"dropped text: an earlier hand-over put it in"},
		},
		"a provider's call that it does not take": {
			func(c *canon.Capacity) {
				c.Provider = func(*canon.ToolCallBlock, *canon.ToolResultBlock) bool { return false }
			},
			[]*canon.Message{answer(calling("p", "search", canon.CallProvider), answering("p", text("found")), calling("q", "search", canon.CallProvider), text("a"))},
			[]string{"assistant: call p search {}", `assistant: result p "found"`, `assistant: text "a"`},
			[]string{`downgraded tool_call: a call of the provider's own tool "search" becomes a function call`, `dropped tool_call: a call of the provider's own tool "search"`},
		},
		"a provider's result that it wants": {
			func(c *canon.Capacity) { c.ProviderResults = true },
			[]*canon.Message{answer(calling("p", "search", canon.CallProvider), calling("q", "f", canon.CallFunction)), user(answering("q"))},
			[]string{"assistant: call p provider search {}", "assistant: result p (synthesized)", "assistant: call q f {}", "user: result q"},
			[]string{"synthesized tool_result: the provider's own tool has no result in the source"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := plainCapacity()
			if tt.change != nil {
				tt.change(c)
			}
			var r canon.Report
			got, err := agenttest.Lines(count(canon.Fit(count(stream(tt.in, nil), r.Ingest), c, nil, &r), r.Emit))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Balance(); err != nil {
				t.Error(err)
			}
			var losses []string
			for _, l := range r.Losses {
				losses = append(losses, fmt.Sprintf("%s %s: %s", l.Action, l.What, l.Why))
			}
			same(t, got, tt.want)
			same(t, losses, tt.losses)
		})
	}
}

func TestCallsThatAreAddedHaveIDsOfTheirOwn(t *testing.T) {
	answer := func(blocks ...canon.Block) *canon.Message {
		return &canon.Message{Role: canon.Assistant, Blocks: blocks}
	}
	user := func(blocks ...canon.Block) *canon.Message { return &canon.Message{Role: canon.User, Blocks: blocks} }
	partOf := func(id string) string {
		base, n, _ := strings.Cut(id, "_")
		if n == "1" {
			return base
		}
		return ""
	}
	function := canon.CallFunction
	for name, tt := range map[string]struct {
		base    []string
		partOf  func(string) string
		in      []*canon.Message
		want    []string
		renamed int
	}{
		"an id that the session has": {
			[]string{"a"},
			nil,
			[]*canon.Message{answer(calling("a", "f", function)), user(answering("a", text("x")))},
			[]string{"assistant: call a_x2 f {}", `user: result a_x2 "x"`},
			1,
		},
		"the alias is taken, before or behind": {
			[]string{"a", "a_x2"},
			nil,
			[]*canon.Message{answer(calling("a", "f", function), calling("a_x3", "f", function)), user(answering("a", text("x")), answering("a_x3", text("y")))},
			[]string{"assistant: call a_x3 f {}", "assistant: call a_x3_x2 f {}", `user: result a_x3 "x"`, `user: result a_x3_x2 "y"`},
			2,
		},
		"one that the target refuses, whose alias is taken": {
			[]string{canon.LegalID("a|b", canon.Grammar{Max: 24, Extra: "_"})},
			nil,
			[]*canon.Message{answer(calling("a|b", "f", function)), user(answering("a|b", text("x")))},
			[]string{"assistant: call a_b_ALIAS f {}", "user: result a_b_ALIAS \"x\""},
			2,
		},
		"a provider's call": {
			[]string{"p"},
			nil,
			[]*canon.Message{answer(calling("p", "search", canon.CallProvider), answering("p", text("found")))},
			[]string{"assistant: call p_x2 provider search {}", `assistant: result p_x2 "found"`},
			1,
		},
		"a part of one that the session has": {
			[]string{"a"},
			partOf,
			[]*canon.Message{answer(calling("a_1", "f", function)), user(answering("a_1", text("x")))},
			[]string{"assistant: call a_1_x2 f {}", `user: result a_1_x2 "x"`},
			1,
		},
		"others stay": {
			[]string{"b"},
			partOf,
			[]*canon.Message{answer(calling("a", "f", function)), user(answering("a", text("x")))},
			[]string{"assistant: call a f {}", `user: result a "x"`},
			0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var base canon.CallIDs
			for _, id := range tt.base {
				base.Add(answer(calling(id, "f", function)))
			}
			c := plainCapacity()
			c.PartOf = tt.partOf
			var r canon.Report
			got, err := agenttest.Lines(count(canon.Fit(count(stream(tt.in, nil), r.Ingest), c, &base, &r), r.Emit))
			if err := errors.Join(err, r.Balance()); err != nil {
				t.Fatal(err)
			}
			same(t, got, tt.want)
			renamed := 0
			for _, l := range r.Losses {
				if l.Action == canon.Renamed {
					renamed++
				}
			}
			if renamed != tt.renamed {
				t.Errorf("%d are reported as renamed, want %d: %v", renamed, tt.renamed, r.Losses)
			}
		})
	}
}

// same compares lines; the hash in an alias is not looked at.
func same(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		return
	}
	for i := range got {
		if words := strings.Fields(want[i]); strings.Contains(want[i], "ALIAS") {
			for j, w := range strings.Fields(got[i]) {
				if a, ok := strings.CutSuffix(words[j], "ALIAS"); ok && !strings.HasPrefix(w, a[:2]) || !ok && w != words[j] {
					t.Errorf("got %q, want %q", got[i], want[i])
				}
			}
			continue
		}
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func count(msgs canon.Messages, f func(*canon.Message)) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for m, err := range msgs {
			if err == nil {
				f(m)
			}
			if !yield(m, err) {
				return
			}
		}
	}
}
