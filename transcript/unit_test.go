package transcript

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
)

func TestTheArgumentThatTellsMost(t *testing.T) {
	for _, c := range []struct{ name, json, text, want string }{
		{"a command", `{"description":"d","command":"ls -l"}`, "", "ls -l"},
		{"a command of several lines", `{"command":"cd x\nls"}`, "", "cd x …"},
		{"a shell's script", `{"command":["bash","-lc","ls -l"]}`, "", "ls -l"},
		{"a command as a list", `{"command":["git","log","-1"],"workdir":"/w"}`, "", "git log -1"},
		{"a pattern before its path", `{"path":"/w","pattern":"x+"}`, "", "x+"},
		{"a file", `{"old_string":"a","file_path":"/w/a.go"}`, "", "/w/a.go"},
		{"nothing known", `{"todos":[{"a":1}],"b":2}`, "", `todos: [{"a":1}]`},
		{"an empty one first", `{"command":"","todos":[1]}`, "", "todos: [1]"},
		{"escapes", `{"command":"a\u001b[31m\u0020b"}`, "", `a\x1b[31m b`},
		{"a patch", "", "*** Begin Patch\n*** Update File: a.go\n*** Delete File: b.go\n*** End Patch", "a.go, b.go"},
		{"a patch without files", "", "*** Begin Patch\n*** End Patch", "*** Begin Patch …"},
		{"a patch in a command", `{"command":["apply_patch","*** Begin Patch\n*** Add File: n.go\n+x\n*** End Patch"]}`, "", "apply_patch *** Begin Patch …"},
		{"a script that calls tools", "", "const r = await tools.exec_command({cmd: \"ls -l\"});\nawait tools.exec_command({cmd: 'pwd'});", "ls -l ; pwd"},
		{"free text", "", "\n\nfirst\nsecond", "first …"},
		{"no object", `[1,2]`, "", "[1,2]"},
		{"an empty object", `{}`, "", ""},
		{"no input", "", "", ""},
		{"a long one", `{"query":"` + strings.Repeat("漢", 400) + `"}`, "", strings.Repeat("漢", 166) + " …"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := canon.Input{Text: canon.NewText(c.text)}
			if c.json != "" {
				in.JSON = canon.Raw(c.json)
			}
			if got := argument(&in); string(got) != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"nothing", "", 10, []string{""}},
		{"short", "a b", 10, []string{"a b"}},
		{"at spaces", "one two three four", 9, []string{"one two", "three", "four"}},
		{"exactly", "one two", 7, []string{"one two"}},
		{"a space at the edge", "one two  three", 7, []string{"one two", "three"}},
		{"a long word", "aaaaaaaaaaaa b", 5, []string{"aaaaa", "aaaaa", "aa b"}},
		{"a long word behind a short one", "b aaaaaaaaaa", 5, []string{"b", "aaaaa", "aaaaa"}},
		{"indentation stays", "    if x {", 8, []string{"    if x", "{"}},
		{"indentation alone is no place to break", "      aaaaaaaa", 10, []string{"      aaaa", "aaaa"}},
		{"lines", "a\n\nb\n", 10, []string{"a", "", "b", ""}},
		{"tabs", "a\tb\n\tc", 10, []string{"a   b", "    c"}},
		{"wide characters", "漢字漢字漢", 4, []string{"漢字", "漢字", "漢"}},
		{"a wide character does not fit half", "a漢字", 4, []string{"a漢", "字"}},
		{"marks take no room", "e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301"}},
		{"joined emoji take the room of one", "👩‍❤️‍👨👩‍❤️‍👨", 3, []string{"👩‍❤️‍👨", "👩‍❤️‍👨"}},
		{"an emoji that its selector makes wide", "⚠️⚠️", 3, []string{"⚠️", "⚠️"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			w := wrap(shown(c.in), c.width)
			for row, ok := w.next(); ok; row, ok = w.next() {
				got = append(got, string(row))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestRowsThatAreLeftOutAreCounted(t *testing.T) {
	for _, c := range []struct {
		name, in string
		limit    int
		want     string
	}{
		{"all", "1\n2\n3\n4", 0, "1\n2\n3\n4\n"},
		{"just enough", "1\n2\n", 2, "1\n2\n"},
		{"one row is printed rather than counted", "1\n2\n3", 2, "1\n2\n3\n"},
		{"lines", "1\n2\n3\n4\n", 2, "1\n2\n… 2 more lines\n"},
		{"the rest of a line", strings.Repeat("x", 25*2048), 2, strings.Repeat("x", 20) + "\n" + strings.Repeat("x", 20) + "\n… 50 KB more\n"},
		{"the rest of a line and lines", strings.Repeat("x", 100) + "\n2\n3", 1, strings.Repeat("x", 20) + "\n… 3 more lines\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := printer{o: TextOptions{Width: 20}}
			p.rows("", "", shown(c.in), c.limit)
			if got := p.buf.String(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestSegments(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []segment
	}{
		{"nothing", "\n", nil},
		{"prose", "a\n\nb\n", []segment{{false, "a\n\nb"}}},
		{"code", "a\n```go\n\tx\n\n\ty\n```\nb", []segment{{false, "a"}, {true, "\tx\n\n\ty"}, {false, "b"}}},
		{"a fence that is not closed", "a\n~~~\nx", []segment{{false, "a"}, {true, "x"}}},
		{"a fence within a longer one", "````\n```\nx\n```\n````", []segment{{true, "```\nx\n```"}}},
		{"a fence with words does not close", "```\nx\n``` y\n```", []segment{{true, "x\n``` y"}}},
		{"code in a line", "a ``` b ``` c\n```x```", []segment{{false, "a ``` b ``` c\n```x```"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, segments(shown(c.in))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestOnlyImagesBecomeImages(t *testing.T) {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, c := range []struct {
		name, mediaType, data string
		ok                    bool
	}{
		{"png", "image/png", b64("\x89PNG\r\n\x1a\n…"), true},
		{"jpeg", "image/jpeg", b64("\xff\xd8\xff\xe0"), true},
		{"gif", "image/gif", b64("GIF89a"), true},
		{"webp", "image/webp", b64("RIFF1234WEBPVP8 "), true},
		{"lines in the data", "image/gif", b64("GIF89a")[:4] + "\r\n" + b64("GIF89a")[4:], true},
		{"another type than it says", "image/png", b64("\xff\xd8\xff\xe0"), false},
		{"svg", "image/svg+xml", b64("<svg onload='x'>"), false},
		{"svg that says png", "image/png", b64("<svg onload='x'>"), false},
		{"html", "text/html", b64("<script>"), false},
		{"type in capitals", "IMAGE/PNG", b64("\x89PNG\r\n\x1a\n"), false},
		{"type with more behind", "image/png;x", b64("\x89PNG\r\n\x1a\n"), false},
		{"no base64", "image/png", `iVBORw0KGgo="onerror="`, false},
		{"broken base64", "image/gif", b64("GIF89a") + "=", false},
		{"nothing", "image/png", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, ok := inlineImage(&canon.Media{MediaType: c.mediaType, Data: canon.NewText(c.data)})
			if ok != c.ok || ok && !regexp.MustCompile(`^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$`).MatchString(string(url)) {
				t.Errorf("%q, %v", url, ok)
			}
		})
	}
}

// The policy allows the one style by its digest, so it has to be that of what
// stands in the page.
func TestPolicyNamesTheStyle(t *testing.T) {
	var b strings.Builder
	if err := HTML(&b, canon.Thread{}, stream(nil)); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	sum := sha256.Sum256([]byte(styleOf(page)))
	want := "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	_, policy, _ := strings.Cut(page, `http-equiv="Content-Security-Policy" content="`)
	policy, _, _ = strings.Cut(policy, `"`)
	if got := html.UnescapeString(policy); got != want {
		t.Errorf("policy %s\nwant   %s", got, want)
	}
}

// Every colour of text has the contrast that WCAG 2 asks for (4.5) on both
// backgrounds, light and dark.
func TestContrast(t *testing.T) {
	light, dark, ok := strings.Cut(pageStyle, "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("no dark colours")
	}
	for theme, css := range map[string]string{"light": light, "dark": dark} {
		colours := make(map[string]float64)
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, text := range []string{"text", "soft", "user", "assistant", "system", "tool", "failed"} {
			for _, ground := range []string{"page", "card"} {
				t.Run(fmt.Sprint(theme, " ", text, " on ", ground), func(t *testing.T) {
					a, b := colours[text], colours[ground]
					if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
						t.Errorf("contrast %.2f", ratio)
					}
				})
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	var l float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}
