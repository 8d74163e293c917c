package canonical

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// equal compares decoded values; no text and no content are told apart from
// empty ones.
func equal() cmp.Options {
	return cmp.Options{cmp.Comparer(canon.Text.Equal), cmpopts.EquateEmpty()}
}

// alphabet has what an encoder may get wrong.
const alphabet = "aZ09 \t\n\r\"\\/<>&{}[]:,é漢🙂\u0000\u001b\u007f\u0085\u200b\u200d\u202e\u2028\ufeff\ufffd\U000e0041"

func stringGen() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringOf(rapid.SampledFrom([]rune(alphabet))), rapid.String())
}

// textGen draws texts, some of them read from a literal in an escaping of its
// own.
func textGen() *rapid.Generator[canon.Text] {
	return rapid.Custom(func(t *rapid.T) canon.Text {
		s := stringGen().Draw(t, "text")
		if rapid.Bool().Draw(t, "decoded") {
			return canon.NewText(s)
		}
		lit := []byte{'"'}
		for _, r := range s {
			switch how := rapid.IntRange(0, 2).Draw(t, "escape"); {
			case how == 0 && r < 0x10000:
				lit = fmt.Appendf(lit, `\u%04X`, r)
			case how == 0:
				r -= 0x10000
				lit = fmt.Appendf(lit, `\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
			case how == 1 && r == '/':
				lit = append(lit, `\/`...)
			default:
				q := jsonx.AppendQuote(nil, string(r))
				lit = append(lit, q[1:len(q)-1]...)
			}
		}
		text, _ := canon.LiteralText(append(lit, '"'))
		return text
	})
}

// rawGen draws well-formed JSON with any white space.
func rawGen() *rapid.Generator[canon.Raw] {
	return rapid.Custom(func(t *rapid.T) canon.Raw {
		raw := value(t, 3)
		var b bytes.Buffer
		switch rapid.IntRange(0, 3).Draw(t, "space") {
		case 0:
			if err := json.Indent(&b, raw, "", "\t"); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		case 1:
			return append(append(canon.Raw(" "), raw...), "\r\n"...)
		}
		return raw
	})
}

func value(t *rapid.T, depth int) canon.Raw {
	kinds := []string{"null", "true", "false", "-12.50e+03", "0", "string", "array", "object"}
	if depth == 0 {
		kinds = kinds[:6]
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "string":
		return textGen().Draw(t, "string").AppendQuoted(nil)
	case "array", "object":
		out := canon.Raw{kind[0] - 'a' + '['} // [ for array
		if kind == "object" {
			out[0] = '{'
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "members") {
			if i > 0 {
				out = append(out, ", "...)
			}
			if kind == "object" { // names may repeat
				out = append(jsonx.AppendQuote(out, rapid.StringMatching(`[ab"]`).Draw(t, "name")), ':')
			}
			out = append(out, value(t, depth-1)...)
		}
		return append(out, out[0]+2)
	default:
		return canon.Raw(kind)
	}
}

func extGen() *rapid.Generator[canon.Ext] {
	return rapid.Custom(func(t *rapid.T) canon.Ext {
		e := canon.Ext{Dialect: rapid.SampledFrom([]string{"", "anthropic", "responses"}).Draw(t, "dialect")}
		for range rapid.IntRange(0, 2).Draw(t, "ext") {
			e.Members = append(e.Members, canon.Member{Name: stringGen().Draw(t, "name"), Value: rawGen().Draw(t, "value")})
		}
		return e
	})
}

func metaGen(t *rapid.T) canon.BlockMeta {
	return canon.BlockMeta{
		ItemID: stringGen().Draw(t, "item"), Tag: stringGen().Draw(t, "tag"),
		Synthesized: rapid.Bool().Draw(t, "synthesized"), Ext: extGen().Draw(t, "ext"),
	}
}

func mediaGen(t *rapid.T) canon.Media {
	m := canon.Media{MediaType: stringGen().Draw(t, "type"), Name: stringGen().Draw(t, "name")}
	text := textGen().Draw(t, "media")
	switch rapid.IntRange(0, 2).Draw(t, "where") {
	case 0:
		m.Data = text
	case 1:
		m.URL = text
	case 2:
		m.Plain = text
	}
	return m
}

func callGen(t *rapid.T) canon.CallKind {
	return rapid.SampledFrom([]canon.CallKind{"", canon.CallFunction, canon.CallCustom, canon.CallShell, canon.CallProvider}).Draw(t, "call")
}

func capsuleGen(t *rapid.T) canon.Capsule {
	return canon.Capsule{Issuer: rapid.SampledFrom([]string{"", "anthropic"}).Draw(t, "issuer"), Sealed: textGen().Draw(t, "sealed")}
}

// blockGen draws blocks of every kind, results nested up to depth.
func blockGen(t *rapid.T, depth int) canon.Block {
	meta := metaGen(t)
	kinds := []canon.BlockKind{
		canon.KindText, canon.KindImage, canon.KindDocument, canon.KindReasoning, canon.KindToolCall,
		canon.KindCompaction, canon.KindOpaque, canon.KindToolResult,
	}
	if depth == 0 {
		kinds = kinds[:len(kinds)-1]
	}
	switch rapid.SampledFrom(kinds).Draw(t, "block") {
	case canon.KindText:
		return &canon.TextBlock{BlockMeta: meta, Text: textGen().Draw(t, "text")}
	case canon.KindImage:
		return &canon.ImageBlock{BlockMeta: meta, Media: mediaGen(t)}
	case canon.KindDocument:
		return &canon.DocumentBlock{BlockMeta: meta, Media: mediaGen(t)}
	case canon.KindReasoning:
		return &canon.ReasoningBlock{
			BlockMeta: meta, Text: textGen().Draw(t, "text"), Capsule: capsuleGen(t), Redacted: rapid.Bool().Draw(t, "redacted"),
			Summary: rapid.SliceOfN(textGen(), 0, 2).Draw(t, "summary"),
		}
	case canon.KindToolCall:
		b := &canon.ToolCallBlock{
			BlockMeta: meta, CallID: stringGen().Draw(t, "id"), Name: stringGen().Draw(t, "name"),
			Namespace: stringGen().Draw(t, "namespace"), Call: callGen(t),
		}
		switch rapid.IntRange(0, 2).Draw(t, "input") {
		case 0:
			b.Input.JSON = rawGen().Draw(t, "json")
		case 1:
			b.Input.Text = textGen().Draw(t, "free")
		}
		return b
	case canon.KindToolResult:
		b := &canon.ToolResultBlock{BlockMeta: meta, CallID: stringGen().Draw(t, "id"), IsError: rapid.Bool().Draw(t, "error"), Call: callGen(t)}
		for range rapid.IntRange(0, 2).Draw(t, "content") {
			b.Content = append(b.Content, blockGen(t, depth-1))
		}
		return b
	case canon.KindCompaction:
		return &canon.CompactionBlock{BlockMeta: meta, Capsule: capsuleGen(t)}
	case canon.KindOpaque:
	}
	return &canon.OpaqueBlock{BlockMeta: meta, Dialect: stringGen().Draw(t, "dialect"), Type: stringGen().Draw(t, "type"), Raw: rawGen().Draw(t, "raw")}
}

func timeGen() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		zone := rapid.SampledFrom([]int{0, 0, 7200, -12600, 1172}).Draw(t, "zone") // the last one has seconds
		at := time.Unix(rapid.Int64Range(-1e10, 1e11).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos"))
		if rapid.Bool().Draw(t, "unknown") {
			return time.Time{}
		}
		return at.In(time.FixedZone("", zone))
	})
}

func messageGen() *rapid.Generator[*canon.Message] {
	return rapid.Custom(func(t *rapid.T) *canon.Message {
		m := &canon.Message{
			ID: stringGen().Draw(t, "id"), Group: stringGen().Draw(t, "group"), Model: stringGen().Draw(t, "model"),
			Turn: stringGen().Draw(t, "turn"), Line: rapid.IntRange(0, 1<<40).Draw(t, "line"), File: stringGen().Draw(t, "file"), Time: timeGen().Draw(t, "time"),
			Role: rapid.SampledFrom([]canon.Role{canon.User, canon.Assistant, canon.System}).Draw(t, "role"),
			Kind: rapid.SampledFrom([]canon.MessageKind{
				canon.Typed, canon.Injected, canon.Summary, canon.CommandOutput, canon.HookOutput,
			}).Draw(t, "kind"),
			Authority: rapid.SampledFrom([]canon.Authority{"", canon.AuthoritySystem, canon.AuthorityDeveloper}).Draw(t, "authority"),
			Ext:       extGen().Draw(t, "ext"),
		}
		if rapid.Bool().Draw(t, "counted") {
			n := rapid.Int64()
			m.Usage = &canon.Usage{
				Input: n.Draw(t, "input"), CacheRead: n.Draw(t, "read"), CacheWrite: n.Draw(t, "write"),
				Output: n.Draw(t, "output"), Reasoning: n.Draw(t, "reasoning"),
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "blocks") {
			m.Blocks = append(m.Blocks, blockGen(t, 2))
		}
		return m
	})
}

func threadGen() *rapid.Generator[canon.Thread] {
	return rapid.Custom(func(t *rapid.T) canon.Thread {
		s := stringGen()
		th := canon.Thread{
			ID: s.Draw(t, "id"), Agent: s.Draw(t, "agent"), Title: s.Draw(t, "title"), Dir: s.Draw(t, "dir"),
			Git:        canon.Git{Branch: s.Draw(t, "branch"), Commit: s.Draw(t, "commit"), Dirty: s.Draw(t, "dirty")},
			ForkedFrom: s.Draw(t, "forked from"), Model: s.Draw(t, "model"), ClientVersion: s.Draw(t, "version"),
			Created: timeGen().Draw(t, "created"), Updated: timeGen().Draw(t, "updated"),
		}
		if rapid.Bool().Draw(t, "handed over") {
			th.Origin = &canon.Origin{Agent: s.Draw(t, "from"), ID: s.Draw(t, "from id"), Message: s.Draw(t, "from message")}
		}
		return th
	})
}
