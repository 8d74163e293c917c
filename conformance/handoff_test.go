//go:build conformance

package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/conformance/rig"
	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// product is the program under test, run as a person would run it.
type product struct {
	t          *testing.T
	home, work string
	env        []string
}

// madeByClaude has Claude Code make a session in a fresh home.
func madeByClaude(t *testing.T, spec rig.ClaudeSpec) (product, rig.Session) {
	t.Helper()
	spec.Home, spec.Work = folders(t)
	s, err := bench.MakeClaudeSession(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return product{t: t, home: s.Home, work: s.Work}, s
}

// madeByCodex has Codex make a session in a fresh home.
func madeByCodex(t *testing.T, spec rig.CodexSpec) (product, rig.Session) {
	t.Helper()
	spec.Home, spec.Work = folders(t)
	s, err := bench.MakeCodexSession(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return product{t: t, home: s.Home, work: s.Work}, s
}

// outcome is what the program printed and how it ended.
type outcome struct {
	code     int
	out, err string
}

// run starts the program in the work folder.
func (p product) run(args ...string) outcome {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), program, args...)
	cmd.Dir = p.work
	cmd.Env = append([]string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "CODEX_HOME=" + filepath.Join(p.home, ".codex"), "TERM=xterm-256color"}, p.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return outcome{code: cmd.ProcessState.ExitCode(), out: out.String(), err: errs.String()}
}

// handed is what `to --json` and `pull --json` print, as far as tests look.
type handed struct {
	Source, Target struct{ Agent, ID, Path string }
	Resume         struct {
		Cwd  string
		Argv []string
	}
	Report struct {
		Ingested, Synthesized, Emitted, Dropped map[string]int
		Losses                                  []canon.Loss
		Notes                                   map[string]int
	}
	MovedOn bool `json:"moved_on"`
}

// must runs a command with --json, which has to succeed and to balance.
func (p product) must(args ...string) handed {
	p.t.Helper()
	o := p.run(append(args, "--json")...)
	if o.code != 0 {
		p.t.Fatalf("crosswalk %v: exit %d\n%s", args, o.code, o.err)
	}
	var h handed
	if err := json.Unmarshal([]byte(o.out), &h); err != nil {
		p.t.Fatalf("crosswalk %v: %v\n%s", args, err, o.out)
	}
	r := h.Report
	for _, counts := range []map[string]int{r.Ingested, r.Synthesized, r.Emitted, r.Dropped} {
		for k := range counts {
			if in, out := r.Ingested[k]+r.Synthesized[k], r.Emitted[k]+r.Dropped[k]; in != out {
				p.t.Errorf("%s: %d in, %d out", k, in, out)
			}
		}
	}
	return h
}

// piece is one content block as it stands in a file or request.
type piece struct {
	link canon.Link
	// seam is the link with a newline behind the text: Claude Code 2.1.332 adds
	// one where it joins the texts of two user records into one message.
	seam canon.Link
	full string // all of its text
	// media says that it holds an image.
	media bool
	text  string // its beginning, for messages
}

// pieces digests every block of messages, whatever a reader would make of it.
func pieces(msgs []*canon.Message) (out []piece) {
	var d canon.Digester
	for _, m := range msgs {
		if m.Role == canon.System {
			m.Authority = "" // clients send the same text under either
		}
		for _, b := range m.Blocks {
			if b.Kind() == canon.KindReasoning {
				continue
			}
			text := string(b.Kind())
			one := canon.Message{Blocks: []canon.Block{b}}
			for t := range one.Texts() {
				text += " " + t
			}
			p := piece{link: d.Block(m, b), full: text, text: fmt.Sprintf("%s %.120s", m.Role, text)}
			p.seam = p.link
			p.media = hasImage(b)
			if t, ok := b.(*canon.TextBlock); ok && m.Role == canon.User {
				p.seam = d.Block(m, &canon.TextBlock{Text: canon.Join(t.Text, canon.NewText("\n"))})
			}
			out = append(out, p)
		}
	}
	return out
}

func hasImage(b canon.Block) bool {
	if r, ok := b.(*canon.ToolResultBlock); ok {
		return slices.ContainsFunc(r.Content, hasImage)
	}
	return b.Kind() == canon.KindImage
}

// contains checks that want is a sub-sequence of got.
func contains(t *testing.T, got, want []piece) {
	t.Helper()
	if len(want) == 0 {
		t.Fatal("nothing to compare")
	}
	i := 0
	for _, g := range got {
		if i < len(want) && (g.link == want[i].link || g.link == want[i].seam) {
			i++
		}
	}
	if i < len(want) {
		var sent []string
		for _, g := range got {
			sent = append(sent, g.text)
		}
		t.Errorf("block %d of %d did not arrive: %s\nsent:\n%s", i, len(want), want[i].text, strings.Join(sent, "\n"))
	}
}

// wireClaude decodes what Claude Code sent.
func wireClaude(t *testing.T, r rig.Request) []*canon.Message {
	t.Helper()
	req, err := anthropic.DecodeRequest(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return req.Messages
}

// wireCodex decodes what Codex sent.
func wireCodex(t *testing.T, r rig.Request) []*canon.Message {
	t.Helper()
	req, err := responses.DecodeRequest(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return req.Messages
}

// fileClaude decodes the messages of a session file of one branch with the
// block codec alone: in file order, but each API message in one piece, and the
// results of its calls behind it, as the client puts them.
func fileClaude(t *testing.T, path string) []*canon.Message {
	t.Helper()
	var msgs []*canon.Message
	for line := range strings.Lines(read(t, path)) {
		d := jsonx.NewDecoder([]byte(line))
		m := new(canon.Message)
		for name := range d.Members() {
			switch string(name) {
			case "type":
				m.Role = canon.Role(d.OptStr())
			case "message":
				for member := range d.Members() {
					switch string(member) {
					case "id":
						m.Group = d.OptStr()
					case "content":
						m.Blocks = anthropic.ReadContent(d)
					}
				}
			}
		}
		if d.Err() != nil {
			t.Fatalf("%.200s: %v", line, d.Err())
		}
		if m.Role == canon.User || m.Role == canon.Assistant {
			msgs = append(msgs, m)
		}
	}
	return regroup(msgs)
}

// regroup puts API messages and results together.
func regroup(msgs []*canon.Message) (out []*canon.Message) {
	done := make(map[*canon.Message]bool)
	put := func(m *canon.Message) {
		if !done[m] {
			done[m] = true
			out = append(out, m)
		}
	}
	for _, m := range msgs {
		if m.Role != canon.Assistant || m.Group == "" || done[m] {
			put(m)
			continue
		}
		var calls []string
		for _, part := range msgs {
			if part.Group != m.Group || part.Role != canon.Assistant {
				continue
			}
			put(part)
			for _, b := range part.Blocks {
				if c, ok := b.(*canon.ToolCallBlock); ok {
					calls = append(calls, c.CallID)
				}
			}
		}
		for _, id := range calls {
			for _, answer := range msgs {
				if r, ok := answer.First().(*canon.ToolResultBlock); ok && r.CallID == id {
					put(answer)
				}
			}
		}
	}
	return out
}

// fileCodex decodes the items of a rollout in file order, with the item codec
// alone.
func fileCodex(t *testing.T, path string) (msgs []*canon.Message) {
	t.Helper()
	for line := range strings.Lines(read(t, path)) {
		d := jsonx.NewDecoder([]byte(line))
		typ := ""
		for name := range d.Members() {
			switch string(name) {
			case "type":
				typ = d.OptStr()
			case "payload":
				if typ == "response_item" {
					msgs = append(msgs, responses.ReadItem(d))
				}
			}
		}
		if d.Err() != nil {
			t.Fatalf("%.200s: %v", line, d.Err())
		}
	}
	return msgs
}

// lastModel returns the last request that asked the model with tools.
func lastModel(t *testing.T, res rig.Result) rig.Request {
	t.Helper()
	for i := len(res.Requests) - 1; i >= 0; i-- {
		if res.Requests[i].IsModel() {
			return res.Requests[i]
		}
	}
	t.Fatal("no request reached the model")
	return rig.Request{}
}

// resumeCodex continues a handed-over session in the real client and returns
// what it sent.
func resumeCodex(t *testing.T, home, work, id, prompt string, turns ...rig.Turn) (rig.Result, []*canon.Message) {
	t.Helper()
	c := bench.Codex(home, work, turns...)
	res, err := c.Run(context.Background(), rig.CodexExec("resume", id, prompt)...)
	succeeded(t, res, err)
	return res, wireCodex(t, lastModel(t, res))
}

// resumeClaude continues a handed-over session in the real client and returns
// what it sent.
func resumeClaude(t *testing.T, home, work, id, prompt string, turns ...rig.Turn) (rig.Result, []*canon.Message) {
	t.Helper()
	c := bench.Claude(home, work, turns...)
	res, err := c.Run(context.Background(), "-p", prompt, "--resume", id, "--output-format", "json", "--dangerously-skip-permissions")
	succeeded(t, res, err)
	for _, notice := range []string{"could not be restored", "Tool result missing", "Orphaned tool result"} {
		if strings.Contains(res.Stdout+res.Stderr, notice) {
			t.Errorf("the client says %q", notice)
		}
		for _, r := range res.Requests {
			if bytes.Contains(r.Body, []byte(notice)) {
				t.Errorf("the client sent %q", notice)
			}
		}
	}
	return res, wireClaude(t, lastModel(t, res))
}
