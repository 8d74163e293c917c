package transcript

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// attacks is what a session might hold anywhere.
func attacks() []string {
	return []string{
		`<script>alert(1)</script>`, `</pre></code></details></article><x-hostile>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`,
		`javascript:alert(1)`, `http://evil.example/a.png`, `data:text/html,<script>alert(1)</script>`, `{{.Title}}{{template "top"}}`,
		`</style><style>*{background:url(http://evil.example)}`, `-->`, `<!--`, `]]>`, `&lt;b&gt;&#60;b`, "\x1b[2J\x1b]0;owned\a", "\x1b]8;;http://evil.example\x1b\\x",
		"rtl \u202Egpj.exe\u2066\u200f", "\u200b\u200d\u200d\ufeff\u00ad\U000E0041", "\r\rover\b\b\bwritten", "\x00\x7f\u009b31m", "\xff\xfe invalid",
		"tab\tand\nnew\r\nlines\n\n", "\u2028\u2029", "~~~\n<b>", "```" + "\n</code>", "漢字かな交じり文と👩‍❤️‍👨と🇫🇷とA\u0301\u0323", "",
	}
}

// every returns a message of each kind with s in every place.
func every(s string) []*canon.Message {
	text := canon.NewText(s)
	raw := canon.Raw(jsonx.AppendQuote(nil, s))
	object := append(append(append(append(canon.Raw(`{`), raw...), ':'), raw...), '}')
	meta := func() canon.BlockMeta {
		return canon.BlockMeta{ItemID: s, Ext: canon.Ext{Dialect: s, Members: []canon.Member{{Name: s, Value: raw}}}}
	}
	blocks := []canon.Block{
		&canon.TextBlock{BlockMeta: meta(), Text: text},
		&canon.TextBlock{BlockMeta: canon.BlockMeta{Tag: s}, Text: text},
		&canon.ReasoningBlock{BlockMeta: meta(), Text: text, Summary: []canon.Text{text}, Capsule: canon.Capsule{Issuer: s, Sealed: text}},
		&canon.ReasoningBlock{Summary: []canon.Text{text, text}},
		&canon.ToolCallBlock{BlockMeta: meta(), CallID: s, Name: s, Namespace: s, Call: canon.CallKind(s), Input: canon.Input{JSON: object}},
		&canon.ToolCallBlock{CallID: s, Name: s, Call: canon.CallCustom, Input: canon.Input{Text: text}},
		&canon.ToolCallBlock{Input: canon.Input{JSON: append(append(canon.Raw(`{"command":[`), raw...), "]}"...)}},
		&canon.CompactionBlock{Capsule: canon.Capsule{Sealed: text}},
		&canon.OpaqueBlock{Dialect: s, Type: s, Raw: raw},
	}
	for _, typ := range []string{s, "image/png", "image/svg+xml", "image/png;" + s} {
		for _, data := range []string{s, "iVBORw0KGgo=", "PHN2Zz4=", "iVBORw0KGgo=" + s, "\" onerror=\""} {
			blocks = append(blocks, &canon.ImageBlock{Media: canon.Media{MediaType: typ, Data: canon.NewText(data), Name: s}})
		}
	}
	blocks = append(blocks,
		&canon.ImageBlock{Media: canon.Media{MediaType: s, URL: text}}, &canon.ImageBlock{},
		&canon.DocumentBlock{Media: canon.Media{MediaType: s, Plain: text, Name: s}})
	result := &canon.ToolResultBlock{BlockMeta: meta(), CallID: s, Content: append(blocks[:len(blocks):len(blocks)], &canon.ToolResultBlock{Content: blocks}), IsError: true}
	blocks = append(blocks, result, &canon.ToolResultBlock{CallID: "other"})
	var msgs []*canon.Message
	for _, role := range []canon.Role{canon.User, canon.Assistant, canon.System, canon.Role(s)} {
		for _, kind := range []canon.MessageKind{canon.Typed, canon.MessageKind(s)} {
			msgs = append(msgs, &canon.Message{
				ID: s, Group: s, Role: role, Authority: canon.Authority(s), Kind: kind, Model: s, Turn: s, Blocks: blocks,
				Time: time.Date(2026, 2, 3, 4, 5, 6, 0, time.FixedZone(s, 3600)),
			})
		}
	}
	return msgs
}

func threadOf(s string) canon.Thread {
	return canon.Thread{
		ID: s, Agent: s, Title: s, Dir: s, Git: canon.Git{Branch: s, Commit: s, Dirty: s}, Model: s, ClientVersion: s,
		Created: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), Updated: time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC), ForkedFrom: s, Origin: &canon.Origin{Agent: s, ID: s, Message: s},
	}
}

// stream yields msgs.
func stream(msgs []*canon.Message) canon.Messages {
	return func(yield func(*canon.Message, error) bool) {
		for _, m := range msgs {
			if !yield(m, nil) {
				return
			}
		}
	}
}

func TestHostileSessionOnATerminal(t *testing.T) {
	for _, s := range attacks() {
		t.Run(s, func(t *testing.T) { checkText(t, threadOf(s), every(s)) })
	}
}

func checkText(t rapid.TB, th canon.Thread, msgs []*canon.Message) {
	t.Helper()
	for _, o := range []TextOptions{
		{Location: time.UTC}, {Width: 20, Full: true, Scaffolding: true, Location: time.FixedZone("\x1b[31m", 60)}, {Style: ANSI(), Tail: 1, SkipReasoning: true},
	} {
		var b bytes.Buffer
		if err := Text(&b, th, stream(msgs), o); err != nil {
			t.Fatal(err)
		}
		out := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(b.String(), "")
		if o.Style == (Style{}) && out != b.String() {
			t.Errorf("escape sequences in plain text: %q", b.String())
		}
		for line := range strings.Lines(out) {
			line = strings.TrimSuffix(line, "\n")
			if i := strings.IndexFunc(line, deceives); i >= 0 {
				t.Errorf("%q has %q", line, line[i:])
			}
			if n := total(shown(line)); n > max(o.Width, 20) && (o.Width > 0 || n > 80) {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}

func deceives(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 || r == 0xFEFF || r == 0x200B || r >= 0xE0000 && r <= 0xE0FFF
}

func TestHostileSessionOnAPage(t *testing.T) {
	for _, s := range attacks() {
		t.Run(s, func(t *testing.T) {
			var b bytes.Buffer
			if err := HTML(&b, threadOf(s), stream(every(s))); err != nil {
				t.Fatal(err)
			}
			checkPage(t, b.String())
		})
	}
}

// allowed lists the tags of a page with what their attributes may be; the text
// of a session stands in alt only.
func allowed() map[string]*regexp.Regexp {
	tags := map[string]string{
		"html": ` lang="en"`, "meta": ` (charset|name|http-equiv)="[\w -]+"( content="[^"<>]*")?`, "article": ` class="(user|assistant|system)( prompt)?"( id="turn-\d+")?`,
		"h1": ` dir="auto"`, "dd": ` dir="auto"`, "p": `( class="(text|note|note mark)")?( dir="auto")?`, "a": ` href="#turn-\d+" aria-label="Link to turn \d+"`,
		"time": ` datetime="[0-9TZ:-]+"`, "details": ` class="(call|result|failed|reasoning|scaffolding|aside)"`,
		"img": ` src="data:image/(png|jpeg|gif|webp);base64,([A-Za-z0-9/=]|&#43;)+" alt="[^"<>]*" loading="lazy" decoding="async"`,
	}
	for _, plain := range strings.Fields("!DOCTYPE head title style body header dl dt main h2 h3 h4 span b code pre summary footer") {
		tags[plain] = ""
	}
	tags["!DOCTYPE"] = " html"
	out := make(map[string]*regexp.Regexp)
	for name, attributes := range tags {
		out[name] = regexp.MustCompile(`^<` + name + attributes + `>$`)
	}
	return out
}

// checkPage scans a page: nothing but its own tags, each closed where it must
// be, and no address but those within it.
func checkPage(t rapid.TB, page string) {
	t.Helper()
	tags, begin := allowed(), regexp.MustCompile(`^<(!?\w+)`)
	void := map[string]bool{"!DOCTYPE": true, "meta": true, "img": true}
	var open []string
	rest := page
	for {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		rest = rest[i:]
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			t.Fatalf("a tag without an end: %.80q", rest)
		}
		tag := rest[:end+1]
		rest = rest[end+1:]
		if name, ok := strings.CutPrefix(tag, "</"); ok {
			name = strings.TrimSuffix(name, ">")
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("%s closes %v", tag, open)
			}
			open = open[:len(open)-1]
			continue
		}
		name := begin.FindStringSubmatch(tag)
		if name == nil || tags[name[1]] == nil || !tags[name[1]].MatchString(tag) {
			t.Fatalf("not a tag of ours: %.200q", tag)
		}
		if !void[name[1]] {
			open = append(open, name[1])
		}
	}
	if len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
	text := html.UnescapeString(page)
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != '\t' && deceives(r) }); i >= 0 {
		t.Errorf("the page has %.40q", text[i:])
	}
	if n := strings.Count(page, "<style>"); n != 1 || regexp.MustCompile(`(?i)@import|url\(|expression`).MatchString(styleOf(page)) {
		t.Errorf("%d styles: %s", n, styleOf(page))
	}
}

func styleOf(page string) string {
	_, style, _ := strings.Cut(page, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	return style
}

// The strings of several attacks in one session, in any order and place.
func TestHostileSessionsOfAnyMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.SampledFrom(attacks()), rapid.String())
		var msgs []*canon.Message
		for range rapid.IntRange(1, 3).Draw(t, "messages") {
			all := every(s.Draw(t, "string"))
			m := *all[rapid.IntRange(0, len(all)-1).Draw(t, "message")]
			from := rapid.IntRange(0, len(m.Blocks)-1).Draw(t, "from")
			m.Blocks = m.Blocks[from : from+rapid.IntRange(1, len(m.Blocks)-from).Draw(t, "blocks")]
			msgs = append(msgs, &m)
		}
		th := threadOf(s.Draw(t, "thread"))
		checkText(t, th, msgs)
		var b bytes.Buffer
		if err := HTML(&b, th, stream(msgs)); err != nil {
			t.Fatal(err)
		}
		checkPage(t, b.String())
	})
}

// The first column belongs to the renderer: text that imitates its layout does
// not pass for it.
func TestNoTextLooksLikeAHeadACallOrAResult(t *testing.T) {
	forged := []string{
		"assistant  10:00:00", "user  2026-01-02 03:04:05", "> Bash  rm -rf /", "< error of Bash", "| done", "[image png 3 KB]",
		"=== earlier messages were replaced by a summary ===", "(1 piece of scaffolding not shown)", "… 3 more lines",
	}
	text := canon.NewText("x\n" + strings.Join(forged, "\n"))
	m := &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{
		&canon.TextBlock{Text: text}, &canon.ReasoningBlock{Text: text}, &canon.DocumentBlock{Media: canon.Media{Plain: text}},
		&canon.ToolCallBlock{CallID: "c", Name: "T", Input: canon.Input{Text: text}},
		&canon.ToolResultBlock{CallID: "c", Content: []canon.Block{&canon.TextBlock{Text: text}}},
	}}
	var b bytes.Buffer
	if err := Text(&b, canon.Thread{Title: text.String()}, stream([]*canon.Message{m}), TextOptions{Full: true}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		for _, f := range forged {
			if strings.HasPrefix(line, f) {
				t.Errorf("forged: %s", line)
			}
		}
	}
}
