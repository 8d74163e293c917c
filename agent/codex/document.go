package codex

import (
	"context"
	"fmt"
	"hash/maphash"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// maxDocument bounds a rollout that is one JSON document; those of April 2025
// are small.
const maxDocument = 64 << 20

// buildAny indexes a rollout of any form.
func buildAny(ctx context.Context, f *jsonl.File, seed maphash.Seed, end int64, r *canon.Report) (*index, error) {
	if strings.HasSuffix(filepath.Base(f.Path()), ".json") {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return buildDocument(f, seed, r)
	}
	return build(ctx, f, seed, end, r)
}

// buildDocument indexes the one JSON object {session, items} of April 2025. Of
// one that breaks off it keeps what can be read.
func buildDocument(f *jsonl.File, seed maphash.Seed, r *canon.Report) (*index, error) {
	if f.Size() > maxDocument {
		return nil, fmt.Errorf("read %q: a single JSON document of %d bytes is more than %d", f.Path(), f.Size(), int64(maxDocument))
	}
	text, err := f.ReadAt(0, int(f.Size()))
	if err != nil {
		return nil, err
	}
	x := &index{file: f, parts: make(map[int32][]uint64)}
	h := newHeadReader(seed)
	d := jsonx.NewDecoder(text)
	for name := range d.Members() {
		switch {
		case string(name) == "session" && d.Kind() == jsonx.Object:
			h.facts.readMeta(d)
		case string(name) == "items" && d.Kind() == jsonx.Array:
			for range d.Elements() {
				at := d.Next()
				raw := d.Raw()
				if d.Err() != nil || raw.Kind() != jsonx.Object {
					continue
				}
				h.head = head{ordinal: -1, bare: true}
				h.facts.records++
				h.dec.Reset(raw)
				h.item(&h.dec)
				x.record(&h.head, jsonl.Record{Off: int64(at)}, len(raw), &h.facts)
			}
		}
	}
	if err := d.Err(); err != nil && f.Size() > 0 {
		agent.NoteDamage(r, jsonl.Damage{Kind: jsonl.Torn, Line: 1, Lost: max(len(text)-d.Offset(), 1), Err: err})
	}
	if r != nil && r.Read == (canon.Extent{}) {
		r.Read = canon.Extent{Lines: 1, Bytes: f.Size()}
	}
	x.facts = h.facts
	x.ends = f.Size()
	return x, nil
}
