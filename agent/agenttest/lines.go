package agenttest

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Lines returns what msgs say, one line a block, in a form to be read and
// compared:
//
//	user: text "please fix a.txt"
//	user injected: text <system-reminder> "Today is Monday."
//	assistant: call toolu_1 Bash {"command":"ls"}
//	user: result toolu_1 error "no such file"
func Lines(msgs canon.Messages) ([]string, error) {
	var lines []string
	for m, err := range msgs {
		if err != nil {
			return lines, err
		}
		for _, b := range m.Blocks {
			lines = append(lines, Line(m, b))
		}
	}
	return lines, nil
}

// Line returns the line of one block of m.
func Line(m *canon.Message, b canon.Block) string {
	who := string(m.Role)
	if m.Authority != "" && m.Authority != canon.Authority(m.Role) {
		who = string(m.Authority)
	}
	if m.Kind != canon.Typed && m.Role != canon.System {
		who += " " + string(m.Kind)
	}
	return who + ": " + blockLine(b)
}

func blockLine(b canon.Block) string {
	var words []string
	say := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	if b.Meta().Tag != "" {
		say("<%s>", b.Meta().Tag)
	}
	switch b := b.(type) {
	case *canon.TextBlock:
		say("%s", quoted(b.Text.String()))
	case *canon.ImageBlock:
		sayMedia(say, &b.Media)
	case *canon.DocumentBlock:
		sayMedia(say, &b.Media)
		if b.Name != "" {
			say("named %q", b.Name)
		}
	case *canon.ReasoningBlock:
		say("%s", quoted(b.Text.String()))
	case *canon.ToolCallBlock:
		say("%s", b.CallID)
		if b.Call != canon.CallFunction {
			say("%s", b.Call)
		}
		if b.Namespace != "" {
			say("%s/%s", b.Namespace, b.Name)
		} else {
			say("%s", b.Name)
		}
		if b.Input.JSON != nil {
			say("%s", cut(string(b.Input.JSON)))
		} else {
			say("%s", quoted(b.Input.Text.String()))
		}
	case *canon.ToolResultBlock:
		say("%s", b.CallID)
		if b.IsError {
			say("error")
		}
		for _, inner := range b.Content {
			if t, ok := inner.(*canon.TextBlock); ok && t.Tag == "" {
				say("%s", quoted(t.Text.String()))
			} else {
				say("[%s]", blockLine(inner))
			}
		}
	case *canon.CompactionBlock:
	case *canon.OpaqueBlock:
		say("%s %s %s", b.Dialect, b.Type, cut(string(b.Raw)))
	}
	if b.Meta().Synthesized {
		say("(synthesized)")
	}
	return strings.TrimSpace(noun(b) + " " + strings.Join(words, " "))
}

// noun names the block's kind.
func noun(b canon.Block) string {
	switch b.Kind() {
	case canon.KindToolCall:
		return "call"
	case canon.KindToolResult:
		return "result"
	case canon.KindText, canon.KindImage, canon.KindDocument, canon.KindReasoning, canon.KindCompaction, canon.KindOpaque:
	}
	return string(b.Kind())
}

func sayMedia(say func(string, ...any), m *canon.Media) {
	switch {
	case !m.URL.IsEmpty():
		say("at %s", cut(m.URL.String()))
	case !m.Plain.IsEmpty():
		say("%s", quoted(m.Plain.String()))
	default:
		say("%s %s", m.MediaType, cut(m.Data.String()))
	}
}

func quoted(s string) string { return cut(fmt.Sprintf("%q", s)) }

// longest is how long a value may stand in a line; of a longer one its beginning
// and its digest do.
const longest = 400

func cut(s string) string {
	if len(s) <= longest {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%s… (%d bytes, %x)", strings.ToValidUTF8(s[:40], ""), len(s), sum[:6])
}
