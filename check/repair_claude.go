package check

import (
	"context"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// claude takes a Claude Code session through the steps of a repair.
func (r *repairer) claude(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.mend, r.claudeShape, r.claudeLinks, r.claudePairs, r.claudeEnd} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// model reads the present state as the lint does.
func (r *repairer) model(ctx context.Context) (*claudeFile, error) {
	c := newClaudeFile(newCollector(0), r.cur.File, r.stem())
	if _, err := c.scan(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// walk finds the history in a state as the client does.
func (c *claudeFile) walk() *claudeWalk {
	named := int32(-1)
	if c.leaf != "" {
		named = c.x.find(c.read.hash(c.leaf))
	}
	return c.x.walk(named)
}

// indexed calls f for every record with its number in the model, or -1.
func (r *repairer) indexed(ctx context.Context, f func(line int, i int32, value []byte) error) error {
	next := int32(0)
	return r.each(ctx, func(line int, rec jsonl.Record, value []byte) error {
		h, err := r.read.read(value)
		if err != nil {
			return f(line, -1, value)
		}
		if !h.chained() {
			return f(line, -1, value)
		}
		next++
		return f(line, next-1, value)
	})
}

// claudeShape gives every record of the main conversation the form that the
// client and the API want, each by itself.
func (r *repairer) claudeShape(ctx context.Context) error {
	c, err := r.model(ctx)
	if err != nil {
		return err
	}
	alone := c.firstMain < 0 && len(c.typeless) == 0 && c.messages > 0
	sent := c.sent()
	next := int32(0)
	return r.step(func(s *stage) error {
		return r.each(ctx, func(line int, _ jsonl.Record, value []byte) error {
			h, err := r.read.read(value)
			if err != nil || !h.chained() {
				return s.put(line, value)
			}
			next++
			if alone && h.marks&markSidechain != 0 {
				r.change("claude-sidechain-only", line, "")
				value = set(value, member{"isSidechain", jsonx.Raw("false")})
				if h, err = r.read.read(value); err != nil {
					return err
				}
			}
			if h.marks&markSidechain != 0 && !sent[next-1] {
				return s.put(line, value)
			}
			for _, v := range r.shape(line, h, value, sent[next-1]) {
				if err := s.put(line, v); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// sent tells which records the client sends, subagents' among them where the
// main conversation hangs on one or shares a message id with it.
func (c *claudeFile) sent() []bool {
	sent := make([]bool, c.x.records.Len())
	if w := c.walk(); w.leaf >= 0 {
		for _, i := range w.sequence() {
			sent[i] = true
		}
	}
	return sent
}

// shape repairs one record; it may become two. A blank message that is not sent
// stays blank: with a text it would look like the latest message.
func (r *repairer) shape(line int, h *claudeRecord, value []byte, sent bool) []jsonx.Raw {
	raw := jsonx.Raw(value)
	typ, role, marks := h.typ, h.role, h.marks
	if !sent && marks&markContent == 0 {
		marks &^= markBlank | markEmptyText
	}
	if typ == ccNone && role != "" {
		typ = ccUser
		if role == "assistant" {
			typ = ccAssistant
		}
		r.change("claude-missing-type", line, "")
		raw = set(raw, member{"type", text(claudeRole(typ))})
	}
	if typ != ccUser && typ != ccAssistant {
		return []jsonx.Raw{raw}
	}
	if marks&markHasUUID == 0 {
		r.change("claude-missing-uuid", line, "")
		raw = set(raw, member{"uuid", text(r.freshUUID())})
	}
	if marks&markRole != 0 {
		r.change("claude-wrong-role", line, "")
		raw = set(raw, member{"message", set(get(raw, "message"), member{"role", text(claudeRole(typ))})})
	}
	if marks&markAPIError != 0 {
		r.change("claude-api-error", line, "")
		r.remove(raw)
		return []jsonx.Raw{note(raw, "[an error message of the API was removed here]")}
	}
	return r.shapeContent(line, typ, marks, raw)
}

func claudeRole(typ claudeType) string {
	if typ == ccAssistant {
		return "assistant"
	}
	return "user"
}

// note turns a record into a notice: it keeps its place in the chain, for those
// that name it, and the client sends nothing of it. (Claude Code 2.1.332.)
func note(raw jsonx.Raw, content string) jsonx.Raw {
	kept := edit(raw, func(name string, value jsonx.Raw) jsonx.Raw {
		switch name {
		case "parentUuid", "logicalParentUuid", "isSidechain", "userType", "cwd", "sessionId", "session_id", "version", "gitBranch", "uuid", "timestamp", "slug", "entrypoint":
			return value
		}
		return nil
	})
	return set(kept, member{"type", text("system")}, member{"subtype", text("informational")}, member{"content", text(content)}, member{"isMeta", jsonx.Raw("true")}, member{"level", text("info")})
}
