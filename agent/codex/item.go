package codex

import (
	"iter"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// itemRuns splits a message into items: a call, a result, reasoning or an
// opaque item each stand alone, what is between them is a message. An image that
// was made stands with the call that made it.
func itemRuns(m *canon.Message) iter.Seq[*canon.Message] {
	return func(yield func(*canon.Message) bool) {
		item := func(blocks []canon.Block) bool {
			part := *m
			part.Blocks = blocks
			return len(blocks) == 0 || yield(&part)
		}
		from := 0 // of the run that is open
		for i := 0; i < len(m.Blocks); i++ {
			switch m.Blocks[i].Kind() {
			case canon.KindText, canon.KindImage, canon.KindDocument:
				continue
			case canon.KindToolCall, canon.KindToolResult, canon.KindReasoning, canon.KindCompaction, canon.KindOpaque:
			}
			n := 1
			if _, _, ok := madeImage(m.Blocks[i:]); ok {
				n = 2
			}
			if !item(m.Blocks[from:i]) || !item(m.Blocks[i:i+n]) {
				return
			}
			i += n - 1
			from = i + 1
		}
		item(m.Blocks[from:])
	}
}

// madeImage returns the call and the image of an image generation that blocks
// begin with.
func madeImage(blocks []canon.Block) (c *canon.ToolCallBlock, image *canon.ImageBlock, ok bool) {
	if len(blocks) < 2 {
		return nil, nil, false
	}
	c, _ = blocks[0].(*canon.ToolCallBlock)
	r, _ := blocks[1].(*canon.ToolResultBlock)
	if c == nil || r == nil || c.Call != canon.CallProvider || c.CallID != r.CallID {
		return nil, nil, false
	}
	image, ok = generatedImage(r)
	return c, image, ok
}

// appendItem appends the item of a run, with our mark.
func appendItem(dst []byte, run *canon.Message) ([]byte, error) {
	if c, image, ok := madeImage(run.Blocks); ok {
		dst = append(dst, `{"type":"image_generation_call","id":`...)
		dst = jsonx.AppendQuote(dst, c.CallID)
		dst = append(dst, `,"status":"completed"`...)
		if prompt := revisedPrompt(c); len(prompt) > 0 {
			dst = append(append(dst, `,"revised_prompt":`...), prompt...)
		}
		dst = append(dst, `,"result":`...)
		return append(image.Data.AppendQuoted(dst), '}'), nil
	}
	k := markOf(run)
	if k.system {
		developer := *run
		developer.Authority = canon.AuthorityDeveloper
		run = &developer
	}
	dst, err := responses.AppendItem(dst, run)
	if err != nil {
		return dst, err
	}
	switch b := run.First().(type) {
	case *canon.TextBlock, *canon.ImageBlock:
		return k.append(dst), nil
	case *canon.ToolCallBlock:
		if b.Call == canon.CallProvider {
			return k.append(dst), nil
		}
	}
	return dst, nil
}
