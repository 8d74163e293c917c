package check

import (
	"bytes"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// blockScan is what the blocks of one message tell together.
type blockScan struct {
	readable int // blocks that are no thinking and not empty
	thinking int
	sent     int // of them, those that the client sends
	empty    int // empty text blocks
	blank    int // text blocks of white space
	bad      int // elements that are no block
	last     string
	prompt   []byte // head of the first text
}

// message decodes message.
func (c *claudeReader) message(raw jsonx.Raw) {
	r := &c.rec
	if r.typ != ccUser && r.typ != ccAssistant && r.typ != ccNone {
		return
	}
	c.dec.Reset(raw)
	if c.dec.Kind() != jsonx.Object {
		r.marks |= markBroken
		return
	}
	var content jsonx.Raw
	for name := range c.dec.Members() {
		switch string(name) {
		case "role":
			r.role = c.dec.OptStr()
		case "id":
			r.group = c.id()
		case "model":
			r.model = c.dec.OptStr()
		case "content":
			content = c.dec.Raw()
		}
	}
	assistant := r.typ == ccAssistant || r.typ == ccNone && r.role == "assistant"
	if r.role != "" && r.typ != ccNone && (r.role == "assistant") != assistant {
		r.marks |= markRole
	}
	c.content(content, assistant)
}

func (c *claudeReader) content(raw jsonx.Raw, assistant bool) {
	r, s := &c.rec, &c.blk
	*s = blockScan{}
	switch raw.Kind() {
	case jsonx.String:
		text := jsonx.AppendUnquote(nil, raw)
		r.marks |= markContent
		s.prompt = text
		// A user message that is a blank string is sent as it is; a blank answer is
		// left out.
		if blank(text) {
			r.marks &^= markContent
			if !assistant {
				r.marks |= markBlank
			}
		}
	case jsonx.Array:
		c.dec.Reset(raw)
		for range c.dec.Elements() {
			c.block(assistant)
		}
		c.weigh(assistant)
	default:
		r.marks |= markBroken
		return
	}
	if !assistant && r.marks&(markMeta|markSummary|markResults) == 0 && !blank(s.prompt) && !scaffold(s.prompt) {
		r.marks |= markTyped
	}
}

// weigh draws what follows from all blocks of a list together.
func (c *claudeReader) weigh(assistant bool) {
	r, s := &c.rec, &c.blk
	if s.readable > 0 {
		r.marks |= markContent
	}
	if s.readable == 0 && s.thinking == 0 && s.empty+s.blank == 0 || s.bad > 0 {
		r.marks |= markBroken
	}
	if s.empty > 0 {
		r.marks |= markEmptyText
	}
	if s.blank > 0 {
		// A blank block is left out with the empty ones unless an answer holds
		// something beside it. (Claude Code 2.1.332.)
		if assistant && s.readable > 0 {
			r.marks |= markBlank
		} else {
			r.marks |= markEmptyText
		}
	}
	if s.thinking > 0 {
		r.marks |= markThinking
		if isThinking(s.last) && s.sent > 0 {
			r.marks |= markThinkingLast
		}
	}
	if assistant && s.readable == 1 && apiError(s.prompt) {
		r.marks |= markAPIError
	}
	// What the client itself noted as an error it leaves out. (Claude Code
	// 2.1.332.)
	if r.marks&markNotedError != 0 && r.model == syntheticName {
		r.marks &^= markAPIError
	}
}

// apiError reports whether an answer is what clients write down when the API
// refuses a request.
func apiError(text []byte) bool {
	code, ok := bytes.CutPrefix(text, []byte("API Error: "))
	return ok && len(code) >= 3 && code[0] >= '4' && code[0] <= '5' && code[1] >= '0' && code[1] <= '9'
}

// seal judges the signature of a thinking block. What another vendor's model
// signed is left out on resume; its redacted thinking, and thinking that nobody
// signed, is sent. (Claude Code 2.1.332.)
func (c *claudeReader) seal(b *claudeBlock) {
	r := &c.rec
	switch foreign := foreignModel(r.model); {
	case b.sealed == "":
		r.marks |= markUnsigned
	case foreign && b.typ == "thinking":
		r.marks |= markForeignThinking
		return
	case foreign:
		r.marks |= markForeignSignature
	default:
		r.marks |= sealMark(b.sealed)
	}
	c.blk.sent++
}

// foreignModel reports whether model is the name of a model that is not
// Anthropic's. A name is data of the file, in the forms of several clouds.
func foreignModel(model string) bool {
	return model != "" && model != syntheticName && !strings.Contains(model, "claude")
}

// syntheticName stands for the model in answers that the client made itself.
const syntheticName = "<synthetic>"

func isThinking(typ string) bool { return typ == "thinking" || typ == "redacted_thinking" }

// block decodes one element of a content list.
func (c *claudeReader) block(assistant bool) {
	s, d := &c.blk, &c.dec
	if d.Kind() != jsonx.Object {
		s.bad++
		return
	}
	var b claudeBlock
	for name := range d.Members() {
		switch string(name) {
		case "type":
			b.typ = d.OptStr()
		case "text":
			b.hasText = d.Kind() == jsonx.String
			if b.hasText {
				lit := d.Literal()
				b.text = lit
			}
		case "id":
			b.id = d.OptStr()
		case "tool_use_id":
			b.result = d.OptStr()
		case "name":
			b.name = d.OptStr()
		case "input":
			b.object = d.Kind() == jsonx.Object
		case "signature", "data":
			b.sealed = d.OptStr()
		case "source":
			b.source = d.Raw()
		case "content":
			b.content = d.Raw()
		}
	}
	if b.typ == "" {
		s.bad++
		return
	}
	s.last = b.typ
	c.weighBlock(&b, assistant)
}

// claudeBlock is what is looked at in a block.
type claudeBlock struct {
	typ          string
	text         []byte // literal
	hasText      bool
	id, result   string
	name, sealed string
	object       bool
	source       jsonx.Raw // of an image
	content      jsonx.Raw // of a result
}

func (c *claudeReader) weighBlock(b *claudeBlock, assistant bool) {
	r, s := &c.rec, &c.blk
	switch b.typ {
	case "text":
		c.text(b)
		return
	case "thinking", "redacted_thinking":
		s.thinking++
		c.seal(b)
		return
	case "tool_use":
		c.call(b, assistant)
	case "tool_result":
		if assistant {
			r.marks |= markResultInAnswer
			r.misplaced = append(r.misplaced, c.hash(b.result+"\x00"))
		} else {
			r.marks |= markResults
			r.results = append(r.results, c.hash(b.result+"\x00"))
		}
		if !legalID(b.result) {
			r.marks |= markCallID
		}
		for _, inner := range elements(b.content) {
			if getString(inner, "type") == "image" {
				r.markImage(get(inner, "source"))
			}
		}
	case "image":
		r.markImage(b.source)
	case "input_text", "output_text", "input_image", "refusal", "summary_text":
		r.marks |= markForeign
	}
	s.readable++
}

func (r *claudeRecord) markImage(source jsonx.Raw) {
	fault, _ := claudeImage(source)
	r.marks |= fault
}

func (c *claudeReader) text(b *claudeBlock) {
	s := &c.blk
	switch {
	case !b.hasText:
		s.bad++
	case len(b.text) == 2:
		s.empty++
	default:
		text := jsonx.AppendUnquote(nil, b.text)
		if blank(text) {
			s.blank++
			return
		}
		s.readable++
		if s.prompt == nil {
			s.prompt = text
		}
	}
}

func (c *claudeReader) call(b *claudeBlock, assistant bool) {
	r := &c.rec
	if !assistant {
		r.marks |= markCallInUser
		r.misplaced = append(r.misplaced, c.hash(b.id+"\x00"))
		return
	}
	r.marks |= markCalls
	r.calls = append(r.calls, c.hash(b.id+"\x00"))
	if base := baseCallID(b.id); base != "" {
		r.derived = append(r.derived, derivedID{c.hash(b.id + "\x00"), c.hash(base + "\x00")})
	}
	if !legalID(b.id) {
		r.marks |= markCallID
	}
	if !legalName(b.name, claudeNameMax) {
		r.marks |= markToolName
	}
	if !b.object {
		r.marks |= markInput
	}
}

const (
	claudeNameMax = 128
	codexNameMax  = 64
	codexIDMax    = 64
)

// legalID reports whether the Messages API takes id as a call's.
func legalID(id string) bool { return legalName(id, 1<<20) }

// legalName reports whether s has up to most ASCII letters, digits, _ and -
// and at least one.
func legalName(s string, most int) bool {
	for _, r := range []byte(s) {
		if !wordByte(r) {
			return false
		}
	}
	return s != "" && len(s) <= most
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '-'
}

// sealMark judges the signature of thinking. Only what cannot be one is found
// out: whether the vendor takes a signature back is known to the vendor alone.
func sealMark(sealed string) claudeMark {
	switch {
	case foreignSeal(sealed, agentClaude):
		return markForeignSignature
	case placeholderSeal(sealed):
		return markPlaceholder
	}
	return 0
}

// foreignSeal reports whether sealed was issued by another vendor than that of
// the agent: a gateway's capsule, or for Claude Code a Fernet token, which is
// what OpenAI's encrypted reasoning is.
func foreignSeal(sealed, agent string) bool {
	return strings.HasPrefix(sealed, "cw1.") || agent == agentClaude && strings.HasPrefix(sealed, "gAAAA")
}

// sealMin is shorter than any signature or encrypted reasoning that was seen.
const sealMin = 64

// placeholderSeal reports whether sealed cannot be sealed state: it is too
// short, or no base64.
func placeholderSeal(sealed string) bool {
	if len(sealed) < sealMin {
		return true
	}
	for _, b := range []byte(strings.TrimRight(sealed, "=")) {
		if !wordByte(b) && b != '+' && b != '/' {
			return true
		}
	}
	return false
}

// scaffold reports whether a user text was put in by the client. (Claude Code
// 1.0.17 to 2.1.332.)
func scaffold(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	for _, tag := range [...]string{
		"<command-name", "<command-message", "<local-command-stdout", "<local-command-stderr", "<local-command-caveat",
		"<system-reminder", "<task-notification", "<bash-input", "<bash-stdout", "<bash-stderr",
		"<ide_selection", "<ide_opened_file", "<user-prompt-submit-hook", "<session-start-hook",
	} {
		if rest, ok := bytes.CutPrefix(text, []byte(tag)); ok && (len(rest) == 0 || rest[0] == '>' || rest[0] == ' ') {
			return true
		}
	}
	return false
}
