package dialecttest

import (
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Request is a canonical request with the name of what it is about.
type Request struct {
	Name string
	// Make returns the request, which the caller may change.
	Make func() *canon.Request
}

// Response is a canonical answer with the name of what it is about.
type Response struct {
	Name string
	Make func() *canon.Response
}

func text(s string) *canon.TextBlock { return &canon.TextBlock{Text: canon.NewText(s)} }

func user(b ...canon.Block) *canon.Message { return &canon.Message{Role: canon.User, Blocks: b} }

func answer(b ...canon.Block) *canon.Message { return &canon.Message{Role: canon.Assistant, Blocks: b} }

func system(s string) *canon.Message {
	return &canon.Message{Role: canon.System, Authority: canon.AuthoritySystem, Blocks: []canon.Block{text(s)}}
}

func developer(s string) *canon.Message {
	return &canon.Message{Role: canon.System, Authority: canon.AuthorityDeveloper, Blocks: []canon.Block{text(s)}}
}

func call(id, name, input string) *canon.ToolCallBlock {
	return &canon.ToolCallBlock{CallID: id, Name: name, Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(input)}}
}

func result(id string, content ...canon.Block) *canon.ToolResultBlock {
	return &canon.ToolResultBlock{CallID: id, Call: canon.CallFunction, Content: content}
}

func image(typ, data string) *canon.ImageBlock {
	return &canon.ImageBlock{Media: canon.Media{MediaType: typ, Data: canon.NewText(data)}}
}

// png is the smallest PNG image.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func tool(name, schema string) canon.Tool {
	return canon.Tool{Name: name, Call: canon.CallFunction, Description: canon.NewText("Use " + name + "."), Schema: canon.Raw(schema)}
}

const (
	readSchema = `{"type":"object","properties":{"file_path":{"type":"string"},"limit":{"type":"integer","default":0}},"required":["file_path"],"additionalProperties":false}`
	bashSchema = `{"type":"object","properties":{"command":{"type":"string","description":"what to run"}},"required":["command"]}`
)

// CorpusRequests returns requests that hold together all that canon can say.
func CorpusRequests() []Request {
	return slices.Concat(conversations(), contents(), toolRequests(), parameters())
}

// with returns a maker of the smallest request, changed.
func with(change func(*canon.Request)) func() *canon.Request {
	return func() *canon.Request {
		q := &canon.Request{Model: "model-1", MaxOutput: 4096, Messages: []*canon.Message{user(text("Hello."))}}
		change(q)
		return q
	}
}

// talk returns a maker of a request with two tools.
func talk(msgs ...*canon.Message) func() *canon.Request {
	return with(func(q *canon.Request) {
		q.Tools = []canon.Tool{tool("Read", readSchema), tool("Bash", bashSchema)}
		q.Messages = cloned(msgs)
	})
}

// cloned returns messages that may be changed.
func cloned(msgs []*canon.Message) (out []*canon.Message) {
	for _, m := range msgs {
		c := *m
		c.Blocks = nil
		for _, b := range m.Blocks {
			c.Blocks = append(c.Blocks, canon.CloneBlock(b))
		}
		out = append(out, &c)
	}
	return out
}

func choice(c canon.ToolChoice) func() *canon.Request {
	return with(func(q *canon.Request) {
		q.Tools = []canon.Tool{tool("Read", readSchema), tool("Bash", bashSchema)}
		q.Choice = c
	})
}

// conversations are requests about who says what, and calls with their results.
func conversations() []Request {
	return []Request{
		{"text", with(func(*canon.Request) {})},
		{"stream", with(func(q *canon.Request) { q.Stream = true })},
		{"system", with(func(q *canon.Request) {
			q.Messages = []*canon.Message{system("You are careful."), system("You are brief."), user(text("Hello."))}
		})},
		{"developer", with(func(q *canon.Request) {
			q.Messages = []*canon.Message{system("You are careful."), developer("Use tabs."), user(text("Hello.")), answer(text("Hi.")), user(text("And?"))}
		})},
		{"system later", with(func(q *canon.Request) {
			q.Messages = []*canon.Message{system("You are careful."), user(text("Hello.")), answer(text("Hi.")), developer("Now use spaces."), user(text("And?"))}
		})},
		{"several texts", with(func(q *canon.Request) {
			q.Messages = []*canon.Message{user(text("One."), text("Two.\n\"Three\" \u2028 größe 漢字 😀")), answer(text("A."), text("B.")), user(text("Go."))}
		})},
		{"calls", talk(user(text("Read both.")),
			answer(text("I read them."), call("toolu_01", "Read", `{"file_path":"/w/a.go"}`), call("toolu_02", "Read", `{"file_path":"/w/b.go","limit":10}`)),
			user(result("toolu_01", text("package a")), result("toolu_02", text("package b"))), answer(text("Read.")), user(text("Thanks.")))},
		{"calls apart", talk(user(text("Read both.")), answer(text("I read them.")), answer(call("toolu_01", "Read", `{"file_path":"/w/a.go"}`)),
			answer(call("toolu_02", "Bash", `{"command":"cat \"b\""}`)), user(result("toolu_02", text("b"))), user(result("toolu_01", text("a"))), user(text("Go on.")))},
		{"error result", talk(user(text("Run it.")), answer(call("toolu_01", "Bash", `{"command":"false"}`)),
			user(&canon.ToolResultBlock{CallID: "toolu_01", Call: canon.CallFunction, IsError: true, Content: []canon.Block{text("exit status 1")}}))},
		{"empty result", talk(user(text("Run it.")), answer(call("toolu_01", "Bash", `{"command":"true"}`)), user(result("toolu_01")))},
		{"empty input", talk(user(text("Run it.")), answer(call("toolu_01", "Bash", `{}`)), user(result("toolu_01", text("ok"))))},
		{"unanswered call", talk(user(text("Run it.")), answer(call("toolu_01", "Bash", `{"command":"ls"}`)), user(text("Never mind.")))},
		{"orphan result", talk(user(text("Hello.")), user(result("toolu_09", text("lost"))), answer(text("Hm.")), user(text("Go.")))},
	}
}

// contents are requests about what messages hold besides text.
func contents() []Request {
	return []Request{
		{"image", with(func(q *canon.Request) {
			q.Messages = []*canon.Message{user(text("What is it?"), image("image/png", png))}
		})},
		{"image by its address", with(func(q *canon.Request) {
			q.Messages = []*canon.Message{user(&canon.ImageBlock{Media: canon.Media{URL: canon.NewText("https://example.org/a.png")}}, text("What is it?"))}
		})},
		{"image in a result", talk(user(text("Show them.")), answer(call("toolu_01", "Read", `{"file_path":"/w/a.png"}`), call("toolu_02", "Read", `{"file_path":"/w/b.txt"}`)),
			user(result("toolu_01", text("the image"), image("image/png", png)), result("toolu_02", text("b"))))},
		{"document", with(func(q *canon.Request) {
			pdf := &canon.DocumentBlock{Media: canon.Media{MediaType: "application/pdf", Data: canon.NewText("JVBERi0xLjQK"), Name: "a.pdf"}}
			q.Messages = []*canon.Message{user(text("Sum it up."), pdf)}
		})},
		{"plain document", with(func(q *canon.Request) {
			q.Messages = []*canon.Message{user(&canon.DocumentBlock{Media: canon.Media{MediaType: "text/plain", Plain: canon.NewText("words"), Name: "a.txt"}}, text("Sum it up."))}
		})},
		{"reasoning", talk(user(text("Think.")),
			answer(&canon.ReasoningBlock{Text: canon.NewText("Let me see."), Capsule: canon.Capsule{Issuer: "elsewhere", Sealed: canon.NewText("c2VhbGVk")}},
				call("toolu_01", "Read", `{"file_path":"/w/a.go"}`)),
			user(result("toolu_01", text("package a"))))},
	}
}

// toolRequests are requests about tools and the choice among them.
func toolRequests() []Request {
	return []Request{
		{"tools", with(func(q *canon.Request) {
			q.Tools = []canon.Tool{tool("Read", readSchema), tool("Bash", bashSchema), {Name: "Now", Call: canon.CallFunction, Schema: canon.Raw(`{"type":"object","properties":{}}`)}}
			q.Tools[0].Strict = canon.FlagOn
		})},
		{"tool kinds", with(func(q *canon.Request) {
			grammar := canon.Raw(`{"type":"grammar","syntax":"lark","definition":"start: /x+/"}`)
			q.Tools = []canon.Tool{
				tool("Read", readSchema),
				{Name: "apply_patch", Call: canon.CallCustom, Description: canon.NewText("Patch."), Grammar: grammar},
				{Name: "search", Namespace: "docs", Call: canon.CallFunction, Schema: canon.Raw(readSchema)},
				{Name: "later", Call: canon.CallFunction, Schema: canon.Raw(readSchema), Deferred: true},
			}
			custom := &canon.ToolCallBlock{CallID: "c1", Name: "apply_patch", Call: canon.CallCustom, Input: canon.Input{Text: canon.NewText("*** Begin Patch\n*** End Patch")}}
			spaced := &canon.ToolCallBlock{CallID: "c2", Name: "search", Namespace: "docs", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"file_path":"x"}`)}}
			done := &canon.ToolResultBlock{CallID: "c1", Call: canon.CallCustom, Content: []canon.Block{text("Done.")}}
			q.Messages = []*canon.Message{user(text("Patch it.")), answer(custom, spaced), user(done, result("c2", text("found"))), user(text("Go on."))}
		})},
		{"choice auto", choice(canon.ToolChoice{Mode: canon.ChoiceAuto})},
		{"choice any", choice(canon.ToolChoice{Mode: canon.ChoiceAny})},
		{"choice none", choice(canon.ToolChoice{Mode: canon.ChoiceNone})},
		{"choice one", choice(canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: "Bash"}}})},
		{"choice of undeclared", choice(canon.ToolChoice{Mode: canon.ChoiceOneOf, Names: []canon.ToolName{{Name: "Gone"}}})},
		{"choice without tools", with(func(q *canon.Request) { q.Choice.Mode = canon.ChoiceAny })},
		{"one call", with(func(q *canon.Request) { q.Tools, q.OneCall = []canon.Tool{tool("Read", readSchema)}, true })},
	}
}

// parameters are requests about everything else.
func parameters() []Request {
	return []Request{
		{"sampling", with(func(q *canon.Request) {
			q.Sampling = canon.Sampling{Temperature: canon.Raw(`0.20`), TopP: canon.Raw(`0.9`), TopK: canon.Raw(`40`), Seed: canon.Raw(`7`), FrequencyPenalty: canon.Raw(`0.5`), PresencePenalty: canon.Raw(`-0.5`)}
		})},
		{"stop", with(func(q *canon.Request) { q.Stop = []canon.Text{canon.NewText("END"), canon.NewText("\n\n")} })},
		{"no limit", with(func(q *canon.Request) { q.MaxOutput = 0 })},
		{"effort", with(func(q *canon.Request) {
			q.Reasoning = canon.Reasoning{Mode: canon.ReasoningOn, Effort: canon.EffortHigh}
		})},
		{"effort alone", with(func(q *canon.Request) { q.Reasoning = canon.Reasoning{Effort: canon.EffortLow} })},
		{"budget", with(func(q *canon.Request) {
			q.Reasoning = canon.Reasoning{Mode: canon.ReasoningOn, Budget: 2048, Show: canon.ShowSummary}
		})},
		{"reasoning off", with(func(q *canon.Request) { q.Reasoning = canon.Reasoning{Mode: canon.ReasoningOff} })},
		{"format JSON", with(func(q *canon.Request) { q.Format = canon.Format{Kind: canon.FormatJSON} })},
		{"format schema", with(func(q *canon.Request) {
			q.Format = canon.Format{Kind: canon.FormatSchema, Name: "title", Schema: canon.Raw(`{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}`), Strict: canon.FlagOn}
		})},
		{"user and cache key", with(func(q *canon.Request) { q.User, q.CacheKey = canon.NewText("user-1"), canon.NewText("session-1") })},
		{"odd ids", talk(user(text("Run.")), answer(call("call:A|1/é", "Bash", `{"command":"ls"}`), call("call:A|1/è", "Bash", `{"command":"pwd"}`)),
			user(result("call:A|1/é", text("a")), result("call:A|1/è", text("/"))))},
		{"long names", with(func(q *canon.Request) {
			long := "mcp__a_server_with_a_long_name__a_tool_with_a_name_that_is_longer_than_any_vendor_takes_it_by_far_and_more_than_a_hundred_and_twenty_eight"
			q.Tools = []canon.Tool{tool(long, readSchema), tool("with.dot", readSchema)}
			q.Messages = []*canon.Message{user(text("Go.")), answer(call("c1", long, `{"file_path":"x"}`), call("c2", "with.dot", `{"file_path":"y"}`)), user(result("c1", text("ok")), result("c2", text("ok")))}
		})},
	}
}

// CorpusResponses returns answers that hold together all that canon can say.
func CorpusResponses() []Response {
	with := func(stop canon.StopReason, blocks ...canon.Block) func() *canon.Response {
		return func() *canon.Response {
			return &canon.Response{
				ID: "resp_1", Model: "model-1", Blocks: cloned([]*canon.Message{answer(blocks...)})[0].Blocks, Stop: canon.Stop{Reason: stop},
				Usage: &canon.Usage{Input: 120, CacheRead: 100, CacheWrite: 7, Output: 30, Reasoning: 11},
			}
		}
	}
	custom := &canon.ToolCallBlock{CallID: "c1", Name: "apply_patch", Call: canon.CallCustom, Input: canon.Input{Text: canon.NewText("*** Begin Patch\n\"x\"\n")}}
	stopped := func() *canon.Response {
		r := with(canon.StopSequence, text("up to"))()
		r.Stop.Sequence = canon.NewText("END")
		return r
	}
	return []Response{
		{"text", with(canon.StopEnd, text("Hello.\n\"quoted\" größe 漢字 😀 \u2028"))},
		{"several texts", with(canon.StopEnd, text("One."), text("Two."))},
		{"nothing", with(canon.StopEnd)},
		{"call", with(canon.StopToolCall, call("call_1", "Read", `{"file_path":"/w/a.go","limit":10.0}`))},
		{"text and calls", with(canon.StopToolCall, text("I read them."), call("call_1", "Read", `{"file_path":"a"}`), call("call_2", "Bash", `{"command":"ls \"x\""}`))},
		{"call without input", with(canon.StopToolCall, call("call_1", "Now", `{}`))},
		{"call in a namespace", with(canon.StopToolCall, &canon.ToolCallBlock{CallID: "c1", Name: "search", Namespace: "docs", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"q":1}`)}})},
		{"custom call", with(canon.StopToolCall, custom)},
		{"damaged input", with(canon.StopToolCall, &canon.ToolCallBlock{CallID: "c1", Name: "Read", Call: canon.CallFunction, Input: canon.Input{Text: canon.NewText(`{"file_path":`)}})},
		{"input cut by the limit", with(canon.StopLimit, text("I write."), &canon.ToolCallBlock{CallID: "c1", Name: "Write", Call: canon.CallFunction, Input: canon.Input{Text: canon.NewText(`{"content":"abc`)}})},
		{"reasoning", with(canon.StopEnd, &canon.ReasoningBlock{Text: canon.NewText("Let me see.")}, text("Done."))},
		{"sealed reasoning", with(canon.StopEnd, &canon.ReasoningBlock{
			Text: canon.NewText("Let me see."), Summary: []canon.Text{canon.NewText("First."), canon.NewText("Then.")},
			Capsule: canon.Capsule{Issuer: "elsewhere", Sealed: canon.NewText("c2VhbGVk")},
		}, text("Done."))},
		{"limit", with(canon.StopLimit, text("cut"))},
		{"context", with(canon.StopContext, text("cut"))},
		{"refusal", with(canon.StopRefusal, text("No."))},
		{"pause", with(canon.StopPause, text("more"))},
		{"stop sequence", stopped},
		{"no usage", func() *canon.Response {
			r := with(canon.StopEnd, text("x"))()
			r.Usage = nil
			return r
		}},
	}
}

// CorpusErrors returns errors of every kind.
func CorpusErrors() []*canon.APIError {
	return []*canon.APIError{
		{Status: 400, Kind: canon.ErrInvalid, Message: "messages: \"x\" is missing", Param: "messages"},
		{Status: 400, Kind: canon.ErrInvalid, Code: "context_length_exceeded", Message: "too many tokens"},
		{Status: 401, Kind: canon.ErrAuthentication, Message: "no key"},
		{Status: 402, Kind: canon.ErrBilling, Message: "no credit"},
		{Status: 403, Kind: canon.ErrPermission, Message: "not yours"},
		{Status: 404, Kind: canon.ErrNotFound, Message: "no such model"},
		{Status: 413, Kind: canon.ErrTooLarge, Message: "too large"},
		{Status: 429, Kind: canon.ErrRateLimit, Message: "slower"},
		{Status: 500, Kind: canon.ErrInternal, Message: "broken"},
		{Status: 503, Kind: canon.ErrOverloaded, Message: "busy"},
		{Status: 529, Kind: canon.ErrOverloaded, Message: "very busy"},
		{Status: 504, Kind: canon.ErrTimeout, Message: "slow"},
	}
}
