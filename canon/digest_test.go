package canon_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
)

func text(s string) *canon.TextBlock { return &canon.TextBlock{Text: canon.NewText(s)} }

func literal(s string) canon.Text {
	t, _ := canon.LiteralText([]byte(s))
	return t
}

func call(change func(*canon.ToolCallBlock)) *canon.ToolCallBlock {
	c := &canon.ToolCallBlock{CallID: "c1", Name: "Read", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"a":1,"b":"x/y"}`)}}
	if change != nil {
		change(c)
	}
	return c
}

func result(content ...canon.Block) *canon.ToolResultBlock {
	return &canon.ToolResultBlock{CallID: "c1", Content: content}
}

func TestTheSameContentHasTheSameDigest(t *testing.T) {
	user := &canon.Message{Role: canon.User}
	image := func(id string) canon.Block {
		return &canon.ImageBlock{BlockMeta: canon.BlockMeta{ItemID: id}, Media: canon.Media{MediaType: "image/png", Data: canon.NewText("AAAA"), Name: id}}
	}
	for name, same := range map[string][]canon.Block{
		"text in other escapings": {
			text("a/b\né😀"), &canon.TextBlock{Text: literal(`"a\/b\n\u00e9\ud83d\ude00"`)}, &canon.TextBlock{Text: literal(`"a/b\u000aé😀"`)},
			&canon.TextBlock{Text: canon.Join(canon.NewText("a/b"), literal(`"\né"`), canon.NewText("😀"))},
		},
		"ids, unknown members and tags": {
			text("a"), &canon.TextBlock{Text: canon.NewText("a"), BlockMeta: canon.BlockMeta{
				ItemID: "i", Tag: "t", Synthesized: true, Ext: canon.Ext{Dialect: "d", Members: []canon.Member{{Name: "x", Value: canon.Raw("1")}}},
			}},
		},
		"calls": {
			call(nil), call(func(c *canon.ToolCallBlock) { c.CallID = "another" }),
			call(func(c *canon.ToolCallBlock) { c.Input.JSON = canon.Raw("{ \"a\" : 1,\r\n\"\\u0062\":\"x\\/y\" }") }),
		},
		"results": {
			result(text("ok")), &canon.ToolResultBlock{CallID: "another", Content: []canon.Block{text("ok")}, Call: canon.CallCustom},
			result(text("ok"), text("")),
		},
		"no content and empty content": {result(), result(text("")), result(&canon.TextBlock{Text: literal(`""`)})},
		"images":                       {image("a"), image("b")},
	} {
		t.Run(name, func(t *testing.T) {
			var d canon.Digester
			want := d.Block(user, same[0])
			for i, b := range same {
				if got := d.Block(user, b); got != want {
					t.Errorf("block %d has another digest", i)
				}
			}
		})
	}
	t.Run("a call or result, whoever is said to have written it", func(t *testing.T) {
		var d canon.Digester
		for _, b := range []canon.Block{call(nil), result(text("ok"))} {
			if d.Block(user, b) != d.Block(&canon.Message{Role: canon.Assistant}, b) {
				t.Errorf("the %s differs", b.Kind())
			}
		}
	})
}

func TestOtherContentHasAnotherDigest(t *testing.T) {
	user := &canon.Message{Role: canon.User}
	type said struct {
		m *canon.Message
		b canon.Block
	}
	media := func(m canon.Media) canon.Block { return &canon.DocumentBlock{Media: m} }
	all := map[string]said{
		"text":                     {user, text("a")},
		"other text":               {user, text("b")},
		"no text":                  {user, text("")},
		"white space":              {user, text("a ")},
		"what looks escaped":       {user, text(`\u0061`)},
		"by the model":             {&canon.Message{Role: canon.Assistant}, text("a")},
		"by the system":            {&canon.Message{Role: canon.System, Authority: canon.AuthoritySystem}, text("a")},
		"by the developer":         {&canon.Message{Role: canon.System, Authority: canon.AuthorityDeveloper}, text("a")},
		"reasoning":                {user, &canon.ReasoningBlock{Text: canon.NewText("a")}},
		"a summary":                {user, &canon.ReasoningBlock{Summary: []canon.Text{canon.NewText("a")}}},
		"a compaction":             {user, &canon.CompactionBlock{}},
		"a sealed compaction":      {user, &canon.CompactionBlock{Capsule: canon.Capsule{Sealed: canon.NewText("a")}}},
		"an unknown block":         {user, &canon.OpaqueBlock{Type: "x", Raw: canon.Raw(`{"a":1}`)}},
		"an unknown block's type":  {user, &canon.OpaqueBlock{Type: "y", Raw: canon.Raw(`{"a":1}`)}},
		"an unknown block's JSON":  {user, &canon.OpaqueBlock{Type: "x", Raw: canon.Raw(`{"a":1.0}`)}},
		"an image":                 {user, &canon.ImageBlock{Media: canon.Media{Data: canon.NewText("AAAA")}}},
		"a document":               {user, media(canon.Media{Data: canon.NewText("AAAA")})},
		"a document's type":        {user, media(canon.Media{Data: canon.NewText("AAAA"), MediaType: "text/plain"})},
		"a document's text":        {user, media(canon.Media{Plain: canon.NewText("AAAA")})},
		"a document's address":     {user, media(canon.Media{URL: canon.NewText("AAAA")})},
		"a call":                   {user, call(nil)},
		"a call's name":            {user, call(func(c *canon.ToolCallBlock) { c.Name = "Write" })},
		"a call's namespace":       {user, call(func(c *canon.ToolCallBlock) { c.Namespace = "n" })},
		"a call's kind":            {user, call(func(c *canon.ToolCallBlock) { c.Call = canon.CallCustom })},
		"a call's digits":          {user, call(func(c *canon.ToolCallBlock) { c.Input.JSON = canon.Raw(`{"a":1.0,"b":"x/y"}`) })},
		"a call's order":           {user, call(func(c *canon.ToolCallBlock) { c.Input.JSON = canon.Raw(`{"b":"x/y","a":1}`) })},
		"a call's nesting":         {user, call(func(c *canon.ToolCallBlock) { c.Input.JSON = canon.Raw(`{"a":[1],"b":"x/y"}`) })},
		"a call's text":            {user, call(func(c *canon.ToolCallBlock) { c.Input = canon.Input{Text: canon.NewText("x")} })},
		"a call's JSON text":       {user, call(func(c *canon.ToolCallBlock) { c.Input = canon.Input{JSON: canon.Raw(`"x"`)} })},
		"a call's JSON null":       {user, call(func(c *canon.ToolCallBlock) { c.Input = canon.Input{JSON: canon.Raw(`null`)} })},
		"a call's JSON that is no": {user, call(func(c *canon.ToolCallBlock) { c.Input = canon.Input{JSON: canon.Raw(`{"a":`)} })},
		"a call without input":     {user, call(func(c *canon.ToolCallBlock) { c.Input = canon.Input{} })},
		"a result":                 {user, result(text("a"))},
		"a result in two texts":    {user, result(text("a"), text("b"))},
		"a result in one":          {user, result(text("ab"))},
		"a result without content": {user, result()},
		"an error":                 {user, &canon.ToolResultBlock{IsError: true, Content: []canon.Block{text("a")}}},
		"a result with an image":   {user, result(&canon.ImageBlock{Media: canon.Media{Data: canon.NewText("AAAA")}})},
	}
	var d canon.Digester
	seen := make(map[canon.Link]string)
	prints := make(map[uint64]string)
	for name, s := range all {
		got, fingerprint := d.Block(s.m, s.b), d.Fingerprint(s.m, s.b)
		if other := seen[got]; other != "" {
			t.Errorf("%s and %s have one digest", name, other)
		}
		if other := prints[fingerprint]; other != "" {
			t.Errorf("%s and %s have one fingerprint", name, other)
		}
		if d.Fingerprint(s.m, s.b) != fingerprint {
			t.Errorf("%s has two fingerprints", name)
		}
		seen[got], prints[fingerprint] = name, name
	}
}

// A fingerprint is of what is written: the same characters say something else
// with escapes, and the same text in another escaping has another.
func TestAFingerprintIsOfWhatIsWritten(t *testing.T) {
	var d canon.Digester
	m := &canon.Message{Role: canon.User}
	seen := make(map[uint64]int)
	for i, x := range []canon.Text{canon.NewText(`a\n`), literal(`"a\n"`), literal(`"a\u000a"`), canon.NewText("a\n"), literal(`"a"`)} {
		seen[d.Fingerprint(m, &canon.TextBlock{Text: x})] = i
	}
	if len(seen) != 5 {
		t.Errorf("5 texts have %d fingerprints", len(seen))
	}
	if a, b := (&canon.TextBlock{Text: literal(`"a"`)}), text("a"); d.Fingerprint(m, a) != d.Fingerprint(m, b) {
		t.Error("a text without escapes differs from the same one decoded")
	}
}

// Whatever is appended to a text or moved from one field to the next shows.
func TestFieldsNeverRunTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d canon.Digester
		m := &canon.Message{Role: canon.User}
		parts := rapid.SliceOfN(rapid.StringOf(rapid.SampledFrom([]rune("ce\x00namespt"))), 4, 4)
		block := func(p []string) canon.Block {
			return call(func(c *canon.ToolCallBlock) {
				c.Name, c.Namespace, c.Call, c.Input = p[0], p[1], canon.CallKind(p[2]), canon.Input{Text: canon.NewText(p[3])}
			})
		}
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		if same := d.Block(m, block(a)) == d.Block(m, block(b)); same != slices.Equal(a, b) {
			t.Fatalf("%q and %q: the same digest: %t", a, b, same)
		}
	})
}

func TestAChainIsThatOfItsPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &canon.Message{Role: canon.User}
		chain := func(words []string) (links []canon.Link) {
			var d canon.Digester
			var last canon.Link
			for _, w := range words {
				last = d.Extend(last, d.Block(m, text(w)))
				links = append(links, last)
			}
			return links
		}
		words := rapid.SliceOfN(rapid.StringN(0, 3, -1), 1, 8).Draw(t, "words")
		all := chain(words)
		n := rapid.IntRange(0, len(words)).Draw(t, "n")
		if !slices.Equal(chain(words[:n]), all[:n]) {
			t.Fatal("a prefix has other links")
		}
		changed := slices.Clone(words)
		at := rapid.IntRange(0, len(words)-1).Draw(t, "at")
		changed[at] += "!"
		for i, l := range chain(changed) {
			if (l == all[i]) != (i < at) {
				t.Fatalf("block %d was changed; link %d is equal: %t", at, i, l == all[i])
			}
		}
		if len(words) > 1 && words[0] != words[1] {
			changed = slices.Clone(words)
			changed[0], changed[1] = words[1], words[0]
			if chain(changed)[1] == all[1] {
				t.Fatal("the order does not show")
			}
		}
	})
}

func TestJSONIsDigestedByItsTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 3)
		compact, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		indented, err := json.MarshalIndent(v, "\t", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var d canon.Digester
		m := &canon.Message{}
		digest := func(raw []byte) canon.Link { return d.Block(m, &canon.OpaqueBlock{Raw: raw}) }
		if digest(compact) != digest(indented) {
			t.Fatalf("white space shows in %s", indented)
		}
		if changed := fmt.Sprintf("[%s]", compact); digest([]byte(changed)) == digest(compact) {
			t.Fatalf("brackets around %s do not show", compact)
		}
	})
}

func drawValue(t *rapid.T, depth int) any {
	switch rapid.IntRange(0, 3+min(depth, 2)).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.Int16().Draw(t, "number")
	case 3:
		return drawString(t, "string")
	case 4:
		var list []any
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	object := make(map[string]any)
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		object[drawString(t, "name")] = drawValue(t, depth-1)
	}
	return object
}

func TestWhatAnotherClientLeavesOutIsNotChained(t *testing.T) {
	m := &canon.Message{Role: canon.User}
	made := text("a")
	made.Synthesized = true
	tagged := text("a")
	tagged.Tag = "reminder"
	for name, x := range map[string]struct {
		m    *canon.Message
		b    canon.Block
		want bool
	}{
		"text":              {m, text("a"), true},
		"image":             {m, &canon.ImageBlock{}, true},
		"document":          {m, &canon.DocumentBlock{}, true},
		"call":              {m, call(nil), true},
		"result":            {m, result(), true},
		"unknown":           {m, &canon.OpaqueBlock{}, true},
		"scaffolding":       {m, tagged, false},
		"synthesized":       {m, made, false},
		"reasoning":         {m, &canon.ReasoningBlock{}, false},
		"compaction":        {m, &canon.CompactionBlock{}, false},
		"text of a summary": {&canon.Message{Kind: canon.Summary}, text("a"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := canon.Chained(x.m, x.b); got != x.want {
				t.Errorf("chained: %t", got)
			}
		})
	}
}

func TestALinkIsWrittenForAddresses(t *testing.T) {
	l := canon.Link{0xFF, 0xFE, 0xFD}
	if s := l.String(); s != "__79AAAAAAAAAAAAAAAAAA" || strings.ContainsAny(s, "+/=") {
		t.Errorf("%q", s)
	}
}
