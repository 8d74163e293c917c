package codex

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"iter"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// itemRuns splits a message into items: a call, a result, reasoning or an
// opaque item each stand alone, what is between them is a message.
func itemRuns(m *canon.Message) iter.Seq[*canon.Message] {
	return func(yield func(*canon.Message) bool) {
		var run []canon.Block
		item := func(blocks []canon.Block) bool {
			part := *m
			part.Blocks = blocks
			return yield(&part)
		}
		flush := func() bool {
			if len(run) == 0 {
				return true
			}
			blocks := run
			run = nil
			return item(blocks)
		}
		for _, b := range m.Blocks {
			switch b.Kind() {
			case canon.KindText, canon.KindImage, canon.KindDocument:
				run = append(run, b)
				continue
			case canon.KindToolCall, canon.KindToolResult, canon.KindReasoning, canon.KindCompaction, canon.KindOpaque:
			}
			if !flush() || !item([]canon.Block{b}) {
				return
			}
		}
		flush()
	}
}

// emittedLinesAt returns where in the markers the number of lines stands.
func emittedLinesAt(markers []byte) int {
	name := []byte(`"emittedLines":`)
	return bytes.Index(markers, name) + len(name)
}

// openFile opens a rollout that is being written.
func openFile(ctx context.Context, f *jsonl.File, path string) (agent.Session, error) {
	s := &session{seed: maphash.MakeSeed()}
	if err := s.openOwn(ctx, f, path); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}
