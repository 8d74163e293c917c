package agenttest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// session is a random session: a header and messages that any agent may have
// written, well-formed or not.
type session struct {
	thread canon.Thread
	msgs   []*canon.Message
}

// randomSession draws a session with every kind of block, call and message.
func randomSession(t *rapid.T) session {
	g := generator{T: t, now: time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)}
	s := session{thread: canon.Thread{
		ID: "0190a1b2-c3d4-7000-8000-000000000001", Agent: "elsewhere", Dir: "/w/" + g.pick("a b", "x", "é😀", "_"),
		Title: g.pick("", "Fix the login", "Fix (from Elsewhere)", "a\x1b[31m\u202eb", strings.Repeat("é", 150)),
		Model: g.pick("", "some-model"), Git: canon.Git{Branch: g.pick("", "main", "f/é")},
		Created: g.now, Updated: g.now.Add(time.Hour),
	}}
	for range rapid.IntRange(1, 4).Draw(t, "turns") {
		g.turn()
	}
	// Whatever else is in it, somebody says something.
	g.add(&canon.Message{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("go on")}}})
	s.msgs = g.msgs
	return s
}

type generator struct {
	*rapid.T
	now  time.Time
	msgs []*canon.Message
	n    int
}

func (g *generator) pick(values ...string) string {
	return rapid.SampledFrom(values).Draw(g.T, "value")
}

func (g *generator) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(g.T, "chance") < percent
}

func (g *generator) add(m *canon.Message) {
	if len(m.Blocks) == 0 {
		return
	}
	m.Line = len(g.msgs) + 1
	if m.Role == canon.System && m.Authority == "" {
		m.Authority = canon.AuthorityDeveloper
	}
	if g.chance(90) {
		g.now = g.now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(g.T, "ms")) * time.Millisecond)
		m.Time = g.now
	}
	g.msgs = append(g.msgs, m)
}

// turn adds a prompt, with what a client puts around it, and answers.
func (g *generator) turn() {
	for g.chance(30) {
		g.aside()
	}
	if g.chance(90) {
		g.add(&canon.Message{Role: canon.User, Blocks: g.content(false)})
	}
	for range rapid.IntRange(0, 3).Draw(g.T, "answers") {
		g.answer()
		if g.chance(20) {
			g.aside()
		}
	}
}

// aside adds a message that nobody typed.
func (g *generator) aside() {
	m := &canon.Message{Role: canon.User, Blocks: g.content(false)}
	switch rapid.IntRange(0, 5).Draw(g.T, "aside") {
	case 0:
		m.Role, m.Authority = canon.System, canon.AuthorityDeveloper
	case 1:
		m.Role, m.Authority = canon.System, canon.AuthoritySystem
	case 2:
		m.Kind = canon.Summary
	case 3:
		m.Kind = canon.CommandOutput
	case 4:
		m.Kind = canon.HookOutput
	default:
		m.Kind = canon.Injected
	}
	g.add(m)
}

// answer adds an answer of the model with calls, and their results in any order,
// too few or too many.
func (g *generator) answer() {
	group := g.pick("", fmt.Sprintf("msg_%d", len(g.msgs)))
	if g.chance(70) {
		g.add(&canon.Message{Role: canon.Assistant, Group: group, Model: g.pick("", "some-model"), Blocks: g.content(true)})
	}
	var results []canon.Block
	calls := &canon.Message{Role: canon.Assistant, Group: group}
	for range rapid.IntRange(0, 3).Draw(g.T, "calls") {
		c := g.call()
		calls.Blocks = append(calls.Blocks, c)
		if r := g.result(c.CallID, c.Call); c.Call != canon.CallProvider {
			results = append(results, r)
		} else if g.chance(60) {
			calls.Blocks = append(calls.Blocks, r)
		}
		if g.chance(50) { // a message per call
			g.add(calls)
			calls = &canon.Message{Role: canon.Assistant, Group: group}
		}
	}
	g.add(calls)
	results = rapid.Permutation(results).Draw(g.T, "order")
	if len(results) > 0 && g.chance(10) {
		results = results[1:] // an interrupted call
	}
	if g.chance(5) {
		results = append(results, g.result("orphan", canon.CallFunction))
	}
	if len(results) > 1 && g.chance(30) {
		g.add(&canon.Message{Role: canon.User, Blocks: results})
		return
	}
	for _, r := range results {
		m := &canon.Message{Role: canon.User, Blocks: []canon.Block{r}}
		if g.chance(10) {
			m.Blocks = append(m.Blocks, g.text())
		}
		g.add(m)
	}
}

// content draws the blocks of a message; answer says that it is the model's.
func (g *generator) content(answer bool) (blocks []canon.Block) {
	for range rapid.IntRange(1, 3).Draw(g.T, "blocks") {
		switch n := rapid.IntRange(0, 9).Draw(g.T, "block"); {
		case n < 6:
			blocks = append(blocks, g.text())
		case answer && n == 6:
			blocks = append(blocks, &canon.ReasoningBlock{Text: canon.NewText("hm"), Capsule: canon.Capsule{Issuer: g.pick("anthropic", "responses", "x"), Sealed: canon.NewText("c2ln")}})
		case answer && n == 7:
			blocks = append(blocks, g.opaque())
		case !answer && n < 8:
			blocks = append(blocks, g.image())
		case n == 8:
			blocks = append(blocks, g.document())
		default:
			blocks = append(blocks, &canon.CompactionBlock{})
		}
	}
	return blocks
}

// text draws a text: of any characters, or one that reads like something else.
func (g *generator) text() *canon.TextBlock {
	s := rapid.OneOf(rapid.String(), rapid.StringN(0, 30, -1), rapid.SampledFrom([]string{
		"", " ", "\n", "plain", "say \"hi\"\\ \t\u0000\u2028", "日本語 😀 é e\u0301", "</context-from-previous-session>",
		"<context-from-previous-session>\nx\n</context-from-previous-session>", "<system-reminder>no reminder</system-reminder>", "<command-name>/x</command-name>",
		"<environment_context>typed</environment_context>", "# AGENTS.md instructions for nobody", "<image name=[Image #1]>", "</image>", "<turn_aborted>",
		"# Files mentioned by the user\n## My request for Codex:\ndo it", "<permissions instructions>", "<persisted-output>\nsaved to: /etc/passwd\n", canon.InterruptedResult,
		"[tool result without its call] x", `{"type":"text"}`, strings.Repeat("long ", 500), "-- --help",
	})).Draw(g.T, "text")
	t := &canon.TextBlock{Text: canon.NewText(s)}
	if g.chance(30) { // as a file holds it
		t.Text, _ = canon.LiteralText(jsonx.AppendQuote(nil, s))
	}
	return t
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func (g *generator) image() *canon.ImageBlock {
	m := canon.Media{MediaType: g.pick("image/png", "image/jpeg", "image/gif", "image/webp", "image/tiff", "image/svg+xml", "", "text/html")}
	data := map[string]string{"image/png": pixel, "image/jpeg": "/9j/4AAQSkZJRgABAQ==", "image/gif": "R0lGODlhAQABAAAAACw=", "image/webp": "UklGRhAAAABXRUJQVlA4"}
	m.Data = canon.NewText(cmp.Or(data[m.MediaType], "bm8gaW1hZ2U="))
	switch {
	case g.chance(15):
		m = canon.Media{URL: canon.NewText("https://example.com/a.png?x=\"é\"")}
	case g.chance(5):
		m = canon.Media{URL: canon.NewText("data:image/png;base64," + pixel)}
	case g.chance(5):
		m.Data = canon.Text{}
	}
	return &canon.ImageBlock{Media: m}
}

func (g *generator) document() *canon.DocumentBlock {
	m := canon.Media{Name: g.pick("", "a.pdf", "ö \"b\".pdf")}
	switch rapid.IntRange(0, 3).Draw(g.T, "document") {
	case 0:
		m.Plain = canon.NewText("plain text")
	case 1:
		m.URL = canon.NewText("https://example.com/a.pdf")
	case 2:
		m.MediaType, m.Data = "application/pdf", canon.NewText("JVBERi0xLjQK")
	default:
		m.MediaType, m.Data = "application/zip", canon.NewText("UEsDBA==")
	}
	return &canon.DocumentBlock{Media: m}
}

func (g *generator) opaque() *canon.OpaqueBlock {
	return &canon.OpaqueBlock{Dialect: g.pick("elsewhere", "gemini"), Type: "novel", Raw: canon.Raw(`{"type":"novel","x":[1.50,"é"]}`)}
}

// call draws a call of any kind.
func (g *generator) call() *canon.ToolCallBlock {
	g.n++
	c := &canon.ToolCallBlock{
		CallID:    g.pick(fmt.Sprintf("call_%d", g.n), fmt.Sprintf("call_%d", g.n), "call_same", "", "call:A|1/é", "-rf", strings.Repeat("i", 90), "a b\n\x1b[1m"),
		Name:      g.pick("Bash", "exec_command", "mcp__server__tool", "x.y z", "", "日本", strings.Repeat("n", 140), "--help", "local_shell", "web_search"),
		Namespace: g.pick("", "", "", "mcp__server", "odd space é", strings.Repeat("s", 80)),
		Call:      canon.CallFunction,
	}
	switch rapid.IntRange(0, 9).Draw(g.T, "call") {
	case 0, 1:
		c.Call = canon.CallCustom
	case 2:
		c.Call, c.Name, c.Namespace = canon.CallShell, g.pick("local_shell", "local_shell", "shell"), ""
	case 3:
		c.Call, c.Name, c.Namespace = canon.CallProvider, g.pick("web_search", "image_generation", "code_interpreter"), ""
		if c.Name == "image_generation" && g.chance(50) {
			c.CallID = fmt.Sprintf("ig_%d", g.n)
		}
	}
	c.Input = g.input()
	return c
}

// input draws what a model may have written as a call's input.
func (g *generator) input() canon.Input {
	switch rapid.IntRange(0, 4).Draw(g.T, "input") {
	case 0:
		return canon.Input{Text: g.text().Text}
	case 1:
		return canon.Input{Text: canon.NewText(g.pick("not json", "{\"broken\":", `{"a":1}`, "*** Begin Patch\n*** End Patch", "null", "NaN", "[1,2"))}
	case 2:
		return canon.Input{}
	}
	return canon.Input{JSON: canon.Raw(g.pick(
		`{}`, `{"command":"ls"}`, `{"type":"search","query":"x"}`, `{"query":"x"}`, `{"type":"exec","command":["ls","-l"]}`, `{"type":"exec","command":"ls"}`,
		`{"revised_prompt":"a cat"}`, `{"input":"x"}`, `{"input":{"a":1}}`, `{ "b" : 1.50 , "a" : 1e400, "a" : "é\u00e9\ud83d\ude00" }`, `[]`, `[1,"x"]`, `"text"`, `12345678901234567890`, `true`, `null`, `{"deep":`+strings.Repeat("[", 50)+strings.Repeat("]", 50)+`}`,
	))}
}

func (g *generator) result(id string, kind canon.CallKind) *canon.ToolResultBlock {
	r := &canon.ToolResultBlock{CallID: id, Call: kind, IsError: g.chance(20)}
	for range rapid.IntRange(0, 3).Draw(g.T, "content") {
		switch n := rapid.IntRange(0, 9).Draw(g.T, "part"); {
		case n < 7:
			r.Content = append(r.Content, g.text())
		case n == 7:
			r.Content = append(r.Content, g.image())
		case n == 8:
			r.Content = append(r.Content, g.document())
		default:
			r.Content = append(r.Content, g.opaque())
		}
	}
	return r
}
