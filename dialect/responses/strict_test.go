package responses_test

import (
	"errors"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

func call(change func(*canon.ToolCallBlock)) *canon.ToolCallBlock {
	b := &canon.ToolCallBlock{CallID: "a", Name: "b", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{}`)}}
	change(b)
	return b
}

// The writer is strict: it writes nothing that the protocol has no form for.
func TestWhatCannotBeExpressedIsRefused(t *testing.T) {
	text := &canon.TextBlock{Text: canon.NewText("a")}
	function := call(func(*canon.ToolCallBlock) {})
	image := &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText("AAAA")}}
	plain := &canon.DocumentBlock{Media: canon.Media{MediaType: "text/plain", Plain: canon.NewText("a")}}
	for name, x := range map[string]struct {
		role   canon.Role
		blocks []canon.Block
	}{
		"reasoning of another vendor":    {canon.Assistant, []canon.Block{&canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: "anthropic"}}}},
		"reasoning beside text":          {canon.Assistant, []canon.Block{&canon.ReasoningBlock{Capsule: canon.Capsule{Issuer: responses.Name}}, text}},
		"a compaction":                   {canon.Assistant, []canon.Block{&canon.CompactionBlock{}}},
		"a call beside text":             {canon.Assistant, []canon.Block{text, function}},
		"two calls":                      {canon.Assistant, []canon.Block{function, function}},
		"a result beside text":           {canon.User, []canon.Block{&canon.ToolResultBlock{CallID: "a"}, text}},
		"a result of the provider's":     {canon.User, []canon.Block{&canon.ToolResultBlock{CallID: "a", Call: canon.CallProvider}}},
		"a result with a call in it":     {canon.User, []canon.Block{&canon.ToolResultBlock{CallID: "a", Content: []canon.Block{text, function}}}},
		"a result with plain text":       {canon.User, []canon.Block{&canon.ToolResultBlock{CallID: "a", Content: []canon.Block{plain}}}},
		"an unknown block of another":    {canon.Assistant, []canon.Block{&canon.OpaqueBlock{Dialect: "anthropic", Raw: canon.Raw(`{}`)}}},
		"an image in an answer":          {canon.Assistant, []canon.Block{image}},
		"a document in an answer":        {canon.Assistant, []canon.Block{&canon.DocumentBlock{Media: image.Media}}},
		"a document of plain text":       {canon.User, []canon.Block{plain}},
		"an image without data":          {canon.User, []canon.Block{&canon.ImageBlock{}}},
		"a document without data":        {canon.User, []canon.Block{&canon.DocumentBlock{}}},
		"an unknown role":                {"tool", []canon.Block{text}},
		"JSON in a custom call":          {canon.Assistant, []canon.Block{call(func(b *canon.ToolCallBlock) { b.Call = canon.CallCustom })}},
		"a shell call without an action": {canon.Assistant, []canon.Block{call(func(b *canon.ToolCallBlock) { b.Call, b.Input = canon.CallShell, canon.Input{} })}},
		"a shell call with a list":       {canon.Assistant, []canon.Block{call(func(b *canon.ToolCallBlock) { b.Call, b.Input.JSON = canon.CallShell, canon.Raw(`[]`) })}},
		"a call of the provider's":       {canon.Assistant, []canon.Block{call(func(b *canon.ToolCallBlock) { b.Call, b.Name = canon.CallProvider, responses.NameImageGeneration })}},
		"a call of no kind":              {canon.Assistant, []canon.Block{call(func(b *canon.ToolCallBlock) { b.Call = "" })}},
		"a call of an unknown kind":      {canon.Assistant, []canon.Block{call(func(b *canon.ToolCallBlock) { b.Call = "x" })}},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := responses.AppendItem(nil, &canon.Message{Role: x.role, Blocks: x.blocks}); !errors.Is(err, responses.ErrCannotExpress) {
				t.Errorf("written %s, %v", out, err)
			}
		})
	}
}

func TestWhatOtherDialectsSayIsWritten(t *testing.T) {
	foreign := canon.Ext{Dialect: "anthropic", Members: []canon.Member{{Name: "x", Value: canon.Raw("1")}}}
	text := &canon.TextBlock{BlockMeta: canon.BlockMeta{Ext: foreign}, Text: canon.NewText("a")}
	for want, m := range map[string]*canon.Message{
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}`:                                {Role: canon.User, ID: "uuid", Ext: foreign, Blocks: []canon.Block{text}},
		`{"type":"message","role":"system","content":[{"type":"input_text","text":"a"}]}`:                              {Role: canon.System, Blocks: []canon.Block{text}},
		`{"type":"function_call","name":"b","arguments":"{}","call_id":"a"}`:                                           {Role: canon.Assistant, ID: "uuid", Ext: foreign, Blocks: []canon.Block{call(func(*canon.ToolCallBlock) {})}},
		`{"type":"function_call","name":"b","arguments":"","call_id":"a"}`:                                             {Role: canon.Assistant, Blocks: []canon.Block{call(func(b *canon.ToolCallBlock) { b.Input = canon.Input{} })}},
		`{"type":"function_call_output","call_id":"a","output":"a"}`:                                                   {Role: canon.User, Blocks: []canon.Block{&canon.ToolResultBlock{CallID: "a", Content: []canon.Block{&canon.TextBlock{Text: text.Text}}}}},
		`{"type":"function_call_output","call_id":"b","output":""}`:                                                    {Role: canon.User, Blocks: []canon.Block{&canon.ToolResultBlock{CallID: "b", Call: canon.CallShell}}},
		`{"type":"message","role":"user","content":[{"type":"input_file","filename":"n","file_url":"u"}]}`:             {Role: canon.User, Blocks: []canon.Block{&canon.DocumentBlock{Media: canon.Media{URL: canon.NewText("u"), MediaType: "application/pdf", Name: "n"}}}},
		`{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,A\/A"}]}`: {Role: canon.User, Blocks: []canon.Block{&canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: literal(`"A\/A"`)}}}},
	} {
		if out, err := responses.AppendItem(nil, m); string(out) != want || err != nil {
			t.Errorf("%s, %v\nwant %s", out, err, want)
		}
	}
}

func literal(s string) canon.Text {
	t, _ := canon.LiteralText([]byte(s))
	return t
}
