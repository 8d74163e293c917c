package check

import (
	"context"
	"strings"
)

// claudeEnd puts a main message first, and ends the file with a title where the
// picker would find none, and with a last-prompt record that names the leaf.
func (r *repairer) claudeEnd(ctx context.Context) error {
	c, err := r.model(ctx)
	if err != nil || c.firstMain < 0 {
		return err
	}
	report, err := checkFile(ctx, r.cur.File, r.out, &r.o)
	if err != nil {
		return err
	}
	found := make(map[string]bool)
	for _, f := range report.Findings {
		found[f.Rule] = true
	}
	needed := len(r.report.Changes) > 0 || found["claude-sidechain-first"] || found["claude-listing-window"]
	for _, rule := range [...]string{"claude-stale-last-prompt", "claude-side-leaf", "claude-sidechain-leaf", "claude-unknown-last-prompt"} {
		if found[rule] {
			needed = true
			r.change(rule, r.cur.line(max(c.leafLine, 1)), "")
		}
	}
	if !needed {
		return nil
	}
	return r.step(func(s *stage) error { return r.finish(ctx, s, c, found) })
}

// ending is what the last records of a file say.
type ending struct {
	prompt, first, session string
}

func (r *repairer) finish(ctx context.Context, s *stage, c *claudeFile, found map[string]bool) error {
	moved := int32(-1)
	if found["claude-sidechain-first"] {
		moved = c.firstMain
		e := c.x.at(moved)
		value, err := r.cur.ReadAt(e.off, int(e.size))
		if err != nil {
			return err
		}
		r.change("claude-sidechain-first", r.cur.line(int(e.line)), "")
		if err := s.put(r.cur.line(int(e.line)), value); err != nil {
			return err
		}
	}
	var end ending
	if err := r.indexed(ctx, func(line int, i int32, value []byte) error {
		end.note(r, i, value)
		if i >= 0 && i == moved || i < 0 && line == 0 && getString(value, "type") == "last-prompt" {
			return nil // it was put first; or an earlier round wrote it
		}
		return s.put(line, value)
	}); err != nil {
		return err
	}
	if found["claude-listing-window"] {
		r.change("claude-listing-window", 0, "")
		title := end.first
		if title == "" {
			title = "Session"
		}
		if err := s.put(0, object(member{"type", text("custom-title")}, member{"customTitle", text(title)}, member{"sessionId", text(end.session)})); err != nil {
			return err
		}
	}
	members := []member{{"type", text("last-prompt")}}
	if end.prompt != "" {
		members = append(members, member{"lastPrompt", text(end.prompt)})
	}
	return s.put(0, object(append(members, member{"leafUuid", text(r.leaf)}, member{"sessionId", text(end.session)})...))
}

// note collects what the last records say.
func (e *ending) note(r *repairer, i int32, value []byte) {
	if e.session == "" {
		e.session = getString(value, "sessionId")
	}
	if i < 0 {
		return
	}
	h := &r.read.rec
	if h.marks&markTyped == 0 || h.marks&markSidechain != 0 {
		return
	}
	e.prompt = headline(r.read.blk.prompt)
	if e.first == "" {
		e.first = e.prompt
	}
}

// headline returns the beginning of a text in one line.
func headline(text []byte) string {
	words := strings.Fields(string(text[:min(len(text), 400)]))
	line := strings.ToValidUTF8(strings.Join(words, " "), "")
	if n := 0; len(line) > 100 {
		for i := range line {
			if i <= 100 {
				n = i
			}
		}
		line = line[:n] + "…"
	}
	return line
}
