package check

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// codex takes a rollout through the steps of a repair.
func (r *repairer) codex(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.mend, r.codexFrame, r.codexMeta, r.codexItems, r.codexPairs, r.codexEnd} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stampLayout is the client's: RFC 3339 in UTC with milliseconds.
const stampLayout = "2006-01-02T15:04:05.000Z"

// someStamp stands where nothing tells a time.
const someStamp = "1970-01-01T00:00:00.000Z"

// codexFrame gives every line the members that it needs around its payload, and
// puts records of before October 2025 into the present form.
func (r *repairer) codexFrame(ctx context.Context) error {
	last := someStamp
	return r.step(func(s *stage) error {
		n := 0
		return r.each(ctx, func(line int, _ jsonl.Record, value []byte) error {
			var d jsonx.Decoder
			l, err := readCodexLine(&d, value)
			if err != nil {
				return err
			}
			n++
			if t := getString(value, "timestamp"); t != "" {
				last = t
			} else if t := stampOf(get(value, "timestamp")); t != "" {
				last = t
			}
			raw := r.frame(line, n, &l, value, last)
			if raw == nil {
				return nil
			}
			return s.put(line, raw)
		})
	})
}

// frame repairs one line; nil drops it.
func (r *repairer) frame(line, n int, l *codexLine, value []byte, stamp string) jsonx.Raw {
	raw := jsonx.Raw(value)
	switch {
	case l.bare && n == 1 && !knownCodexItem(l.typ):
		r.change("codex-old-format", line, "")
		// Such a file is Codex's own, whose name it has not written yet.
		return codexWrap(stamp, "session_meta", set(raw, member{"originator", text("codex_cli_rs")}))
	case l.payload == nil && knownCodexItem(l.typ):
		r.change("codex-old-format", line, "")
		return codexWrap(stamp, "response_item", raw)
	case l.payload == nil:
		rule := "codex-line-type"
		if get(raw, "record_type") != nil {
			rule = "codex-old-format"
		}
		r.change(rule, line, "")
		return nil
	}
	var members []member
	if l.stamp != jsonx.String {
		r.change("codex-timestamp", line, "")
		members = append(members, member{"timestamp", text(stamp)})
	}
	if typ := l.lineType(); typ != l.typ {
		r.change("codex-line-type", line, "")
		members = append(members, member{"type", text(typ)})
	}
	if members == nil {
		return raw
	}
	return set(raw, members...)
}

// lineType returns the type that a line should have after its payload.
func (l *codexLine) lineType() string {
	switch {
	case knownCodexLine(l.typ), l.typ != "" && !knownCodexItem(l.inner):
		return l.typ
	case knownCodexItem(l.inner):
		return "response_item"
	case get(l.payload, "originator") != nil:
		return "session_meta"
	case l.inner != "":
		return "event_msg"
	}
	return "turn_context"
}

func codexWrap(stamp, typ string, payload jsonx.Raw) jsonx.Raw {
	return object(member{"timestamp", text(stamp)}, member{"type", text(typ)}, member{"payload", payload})
}

// stampOf reads a time that is written as a number, of seconds or milliseconds.
func stampOf(raw jsonx.Raw) string {
	if raw.Kind() != jsonx.Number {
		return ""
	}
	d := jsonx.NewDecoder(raw)
	n := d.OptInt()
	switch {
	case n > 1e8 && n < 1e11:
		return time.Unix(n, 0).UTC().Format(stampLayout)
	case n >= 1e11 && n < 1e14:
		return time.UnixMilli(n).UTC().Format(stampLayout)
	}
	return ""
}

// codexKnown is what the lines of a rollout tell for its first line.
type codexKnown struct {
	meta      jsonx.Raw // the payload of the first session_meta line
	stamp     string
	cwd       string
	metaFirst bool
	ordinals  bool // every line has one
	first     int  // line of the first record
}

// codexMeta makes the first line what the client needs.
func (r *repairer) codexMeta(ctx context.Context) error {
	k := codexKnown{ordinals: true}
	n := 0
	err := r.each(ctx, func(line int, _ jsonl.Record, value []byte) error {
		if n++; n == 1 {
			k.first = line
			k.stamp = getString(value, "timestamp")
			k.metaFirst = getString(value, "type") == "session_meta"
		}
		k.ordinals = k.ordinals && get(value, "ordinal").Kind() == jsonx.Number
		payload := get(value, "payload")
		if k.meta == nil && getString(value, "type") == "session_meta" {
			k.meta = append(jsonx.Raw(nil), payload...)
		}
		if k.cwd == "" {
			k.cwd = cwdOf(payload)
		}
		return nil
	})
	if err != nil || n == 0 {
		return err
	}
	payload := r.metaPayload(&k)
	if payload == nil {
		return nil
	}
	return r.step(func(s *stage) error {
		if !k.metaFirst {
			if err := s.put(k.first, codexWrap(k.stamp, "session_meta", payload)); err != nil {
				return err
			}
		}
		first := true
		return r.each(ctx, func(line int, _ jsonl.Record, value []byte) error {
			if getString(value, "type") == "session_meta" && first {
				first = false
				if !k.metaFirst {
					return nil // it was moved to the beginning
				}
				return s.put(line, set(value, member{"payload", payload}))
			}
			return s.put(line, value)
		})
	})
}

// metaPayload returns the payload of the first line, or nil if it is right.
func (r *repairer) metaPayload(k *codexKnown) jsonx.Raw {
	raw, changed := k.meta, !k.metaFirst
	if !k.metaFirst {
		r.change("codex-first-line", k.first, "")
	}
	if raw == nil {
		raw = jsonx.Raw("{}")
	}
	var d jsonx.Decoder
	m := readCodexMeta(&d, raw)
	id := m.id
	if named, _ := codexName(r.out); named != "" && !strings.EqualFold(named, id) || !uuid.Valid(id) {
		if id = named; id == "" {
			if id, _ = codexName(r.path); id == "" {
				id = r.freshUUID()
			}
		}
		rule := "codex-id-mismatch"
		if m.badID || m.id == "" {
			rule = "codex-meta-id"
		}
		if k.metaFirst {
			r.change(rule, k.first, "")
		}
		raw, changed = set(raw, member{"id", text(id)}), true
	}
	for _, name := range m.wrong {
		if name == "id" {
			continue
		}
		if k.metaFirst {
			r.change("codex-meta-field", k.first, name+" is filled in or taken out")
		}
		raw, changed = fixMeta(raw, name, id, k), true
	}
	if m.badMode {
		mode := "legacy"
		if k.ordinals {
			mode = "paginated"
		}
		r.change("codex-history-mode", k.first, "")
		raw, changed = set(raw, member{"history_mode", text(mode)}), true
	}
	if m.bound() {
		r.change("codex-subagent", k.first, "")
		raw, changed = set(raw, member{"source", text("cli")}), true
	}
	if raw2 := r.fixProvider(raw, m.provider, k.first); raw2 != nil {
		raw, changed = raw2, true
	}
	if !changed {
		return nil
	}
	return raw
}

// fixMeta fills in a field of the first line, or takes it out.
func fixMeta(raw jsonx.Raw, name, id string, k *codexKnown) jsonx.Raw {
	value := ""
	switch name {
	case "timestamp":
		value = k.stamp
	case "cwd":
		value = k.cwd
	case "originator":
		value = "crosswalk"
	case "cli_version":
		value = "0.0.0"
	case "session_id":
		value = id
	default:
		return edit(raw, func(n string, v jsonx.Raw) jsonx.Raw {
			if n == name {
				return nil
			}
			return v
		})
	}
	return set(raw, member{name, text(value)})
}

// fixProvider names the provider that a thread has to name, and takes another one
// out that is not, or may not be, the active one.
func (r *repairer) fixProvider(raw jsonx.Raw, provider string, line int) jsonx.Raw {
	rule := ""
	switch {
	case provider == "" && r.o.Fill != "":
		rule = "codex-no-provider"
	case provider == "":
	case r.o.Provider != "" && provider != r.o.Provider:
		rule = "codex-provider-mismatch"
	case r.o.Provider == "" && provider != cmp.Or(r.o.Fill, defaultProvider):
		rule = "codex-model-provider"
	}
	if rule == "" {
		return nil
	}
	if active := cmp.Or(r.o.Provider, r.o.Fill); active != "" {
		r.change(rule, line, fmt.Sprintf("the provider becomes %q", active))
		return set(raw, member{"model_provider", text(active)})
	}
	r.change(rule, line, "")
	return edit(raw, func(name string, v jsonx.Raw) jsonx.Raw {
		if name == "model_provider" {
			return nil
		}
		return v
	})
}

// cwdOf finds a working directory in a payload: its own member, or one in the
// context that the client puts in.
func cwdOf(payload jsonx.Raw) string {
	if cwd := getString(payload, "cwd"); cwd != "" {
		return cwd
	}
	if getString(payload, "role") != "user" {
		return ""
	}
	for _, part := range elements(get(payload, "content")) {
		_, rest, ok := strings.Cut(getString(part, "text"), "<cwd>")
		if cwd, _, end := strings.Cut(rest, "</cwd>"); ok && end {
			return strings.TrimSpace(cwd)
		}
	}
	return ""
}
