package canon_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

func TestScaffoldingIsAllOrNothing(t *testing.T) {
	tagged := &canon.TextBlock{BlockMeta: canon.BlockMeta{Tag: "reminder"}}
	for name, x := range map[string]struct {
		blocks []canon.Block
		want   bool
	}{
		"nothing":         {nil, false},
		"scaffolding":     {[]canon.Block{tagged, tagged}, true},
		"text":            {[]canon.Block{text("a")}, false},
		"one beside text": {[]canon.Block{tagged, text("a")}, false},
	} {
		m := &canon.Message{Blocks: x.blocks}
		if got := m.IsScaffolding(); got != x.want {
			t.Errorf("%s: %t", name, got)
		}
		if first := m.First(); (first == nil) != (len(x.blocks) == 0) {
			t.Errorf("%s: first block %v", name, first)
		}
	}
}

func TestAPromptStartsATurn(t *testing.T) {
	tagged := &canon.TextBlock{BlockMeta: canon.BlockMeta{Tag: "reminder"}}
	for name, x := range map[string]struct {
		m    canon.Message
		want bool
	}{
		"text":                   {canon.Message{Role: canon.User, Blocks: []canon.Block{text("a")}}, true},
		"an image":               {canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.ImageBlock{}}}, true},
		"text beside a result":   {canon.Message{Role: canon.User, Blocks: []canon.Block{result(), text("a")}}, true},
		"text beside a reminder": {canon.Message{Role: canon.User, Blocks: []canon.Block{tagged, text("a")}}, true},
		"a result":               {canon.Message{Role: canon.User, Blocks: []canon.Block{result(), tagged}}, false},
		"a reminder":             {canon.Message{Role: canon.User, Blocks: []canon.Block{tagged}}, false},
		"nothing":                {canon.Message{Role: canon.User}, false},
		"an answer":              {canon.Message{Role: canon.Assistant, Blocks: []canon.Block{text("a")}}, false},
		"system text":            {canon.Message{Role: canon.System, Blocks: []canon.Block{text("a")}}, false},
		"a summary":              {canon.Message{Role: canon.User, Kind: canon.Summary, Blocks: []canon.Block{text("a")}}, false},
		"injected text":          {canon.Message{Role: canon.User, Kind: canon.Injected, Blocks: []canon.Block{text("a")}}, false},
	} {
		if got := x.m.StartsTurn(); got != x.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestMediaIsEmptyWithoutContent(t *testing.T) {
	for _, m := range []canon.Media{{}, {MediaType: "image/png", Name: "a.png"}} {
		if !m.IsEmpty() {
			t.Errorf("%+v is not", m)
		}
	}
	a := canon.NewText("a")
	for _, m := range []canon.Media{{Data: a}, {URL: a}, {Plain: a}} {
		if m.IsEmpty() {
			t.Errorf("%+v is", m)
		}
	}
}

func TestTextsYieldsAllThatCanBeRead(t *testing.T) {
	m := &canon.Message{Blocks: []canon.Block{
		&canon.TextBlock{Text: literal(`"a\n"`)},
		&canon.ReasoningBlock{Text: canon.NewText("b"), Summary: []canon.Text{canon.NewText("c"), canon.NewText("d")}},
		call(func(c *canon.ToolCallBlock) { c.Name = "e"; c.Input = canon.Input{JSON: canon.Raw(`{"f":1}`)} }),
		call(func(c *canon.ToolCallBlock) { c.Name = "g"; c.Input = canon.Input{Text: canon.NewText("h")} }),
		result(text("i"), &canon.DocumentBlock{Media: canon.Media{Name: "j", Plain: canon.NewText("k")}}),
		&canon.ImageBlock{}, &canon.CompactionBlock{}, &canon.OpaqueBlock{Raw: canon.Raw(`"x"`)},
	}}
	var got []string
	for s := range m.Texts() {
		if s != "" {
			got = append(got, s)
		}
	}
	want := []string{"a\n", "b", "c", "d", "e", `{"f":1}`, "g", "h", "i", "j", "k"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for n := range len(want) {
		count := 0
		for range m.Texts() {
			if count++; count > n {
				break
			}
		}
		if count != n+1 {
			t.Errorf("%d texts, want %d", count, n+1)
		}
	}
}

func TestTokensAreEstimatedFromSize(t *testing.T) {
	s := strings.Repeat("a", 400)
	for name, x := range map[string]struct {
		b    canon.Block
		want int
	}{
		"text":        {text(s), 100},
		"no text":     {text(""), 0},
		"an image":    {&canon.ImageBlock{Media: canon.Media{Data: canon.NewText(strings.Repeat("a", 1<<20))}}, 1500},
		"plain text":  {&canon.DocumentBlock{Media: canon.Media{Plain: canon.NewText(s)}}, 100},
		"base64":      {&canon.DocumentBlock{Media: canon.Media{Data: canon.NewText(s)}}, 75},
		"reasoning":   {&canon.ReasoningBlock{Text: canon.NewText(s), Capsule: canon.Capsule{Sealed: canon.NewText(s)}}, 100},
		"a call":      {&canon.ToolCallBlock{Name: "Read", Input: canon.Input{JSON: canon.Raw(`{"a":"` + s[8:] + `"}`)}}, 101},
		"a text call": {&canon.ToolCallBlock{Name: "Read", Input: canon.Input{Text: canon.NewText(s)}}, 101},
		"a result":    {result(text(s), &canon.ImageBlock{}, text(s)), 1700},
		"no result":   {result(), 0},
		"compaction":  {&canon.CompactionBlock{Capsule: canon.Capsule{Sealed: canon.NewText(s)}}, 100},
		"unknown":     {&canon.OpaqueBlock{Raw: canon.Raw(`"` + s[2:] + `"`)}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			if got := canon.EstimateTokens(x.b); got != x.want {
				t.Errorf("%d, want %d", got, x.want)
			}
		})
	}
}

func TestUnknownMembersKeepTheirOrder(t *testing.T) {
	var e canon.Ext
	d := jsonx.NewDecoder([]byte(`{"b":[1, 2],"a":"\ud83d","b":null}`))
	for name := range d.Members() {
		e.Read(d, "d", name)
	}
	var got []string
	for _, m := range e.Members {
		got = append(got, m.Name+"="+string(m.Value))
	}
	if want := []string{"b=[1, 2]", "a=\"\uFFFD\"", "b=null"}; e.Dialect != "d" || !slices.Equal(got, want) {
		t.Errorf("%s: %q", e.Dialect, got)
	}
	if v := e.Get("b"); string(v) != "[1, 2]" {
		t.Errorf("the first b is %s", v)
	}
	if v := e.Get("c"); v != nil {
		t.Errorf("c is %s", v)
	}
	if d.Damaged() != 1 || d.Err() != nil {
		t.Errorf("%d damaged, %v", d.Damaged(), d.Err())
	}
}

func TestReadTextReadsStringsOnly(t *testing.T) {
	for in, want := range map[string]string{`"a\u0062"`: "ab", `""`: "", `"x`: "", `1`: "", ``: ""} {
		d := jsonx.NewDecoder([]byte(in))
		got := canon.ReadText(d)
		if got.String() != want || (d.Err() == nil) != (want != "" || in == `""`) {
			t.Errorf("%s: %q, %v", in, got.String(), d.Err())
		}
	}
}
