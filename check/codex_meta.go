package check

import (
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// codexMeta is the first line's payload.
type codexMeta struct {
	id, originator string
	mode           string // history_mode
	provider       string
	hidden         bool   // its source is none that the picker shows
	spawned        bool   // its source is another thread
	agents         string // multi_agent_version
	// wrong names fields that are missing or of a wrong kind.
	wrong   []string
	badID   bool
	badMode bool
}

// metaFields are the members of the first line whose kind the client checks:
// those it needs, and optional ones with the kinds it takes beside null.
// (Codex 0.171.0.)
var metaFields = [...]struct {
	name     string
	required bool
	kinds    string // of jsonx.Kind
}{
	{"id", true, `"`},
	{"timestamp", true, `"`},
	{"cwd", true, `"`},
	{"originator", true, `"`},
	{"cli_version", true, `"`},
	{"source", false, `"{`},
	{"session_id", false, `"`},
	{"git", false, `{n`},
	{"model_provider", false, `"n`},
	{"base_instructions", false, `{n`},
	{"forked_from_id", false, `"n`},
	{"dynamic_tools", false, `[n`},
	{"memory_mode", false, `"n`},
	{"thread_source", false, `"n`},
	{"agent_nickname", false, `"n`},
}

// readCodexMeta decodes the payload of a session_meta record.
func readCodexMeta(d *jsonx.Decoder, payload jsonx.Raw) codexMeta {
	var m codexMeta
	var seen [len(metaFields)]bool
	d.Reset(payload)
	for name := range d.Members() {
		kind := d.Kind()
		for i, f := range metaFields {
			if f.name != string(name) {
				continue
			}
			seen[i] = strings.IndexByte(f.kinds, byte(kind)) >= 0
			if !seen[i] && !f.required {
				m.wrong = append(m.wrong, f.name)
			}
		}
		m.field(d, string(name), kind)
	}
	for i, f := range metaFields {
		if f.required && !seen[i] {
			m.wrong = append(m.wrong, f.name)
		}
	}
	return m
}

func (m *codexMeta) field(d *jsonx.Decoder, name string, kind jsonx.Kind) {
	switch name {
	case "id":
		m.id = d.OptStr()
		m.badID = kind == jsonx.String && !uuid.Valid(m.id)
	case "session_id", "forked_from_id":
		if s := d.OptStr(); kind == jsonx.String && !uuid.Valid(s) {
			m.wrong = append(m.wrong, name)
		}
	case "originator":
		m.originator = d.OptStr()
	case "model_provider":
		m.provider = d.OptStr()
	case "history_mode":
		m.mode = d.OptStr()
		m.badMode = m.mode != "legacy" && m.mode != "paginated"
	case "multi_agent_version":
		m.agents = d.OptStr()
	case "source":
		m.source(d, kind)
	}
}

// source reads where the thread came from, and whether the picker shows such
// threads. (Codex 0.171.0.)
func (m *codexMeta) source(d *jsonx.Decoder, kind jsonx.Kind) {
	switch kind {
	case jsonx.String:
		s := d.Str()
		m.hidden = s != "cli" && s != "vscode"
	case jsonx.Object:
		m.hidden = true
		for name := range d.Members() {
			switch string(name) {
			case "custom":
				s := d.OptStr()
				m.hidden = s != "atlas" && s != "chatgpt"
			case "subagent":
				m.spawned = get(d.Raw(), "thread_spawn") != nil
			}
		}
	default:
	}
}

// bound reports whether the client resumes the thread only with the one that
// spawned it. (Codex 0.171.0.)
func (m *codexMeta) bound() bool { return m.spawned && m.agents == "v2" }

// own reports whether Codex itself wrote the rollout, in any of its forms.
func (m *codexMeta) own() bool { return strings.Contains(strings.ToLower(m.originator), "codex") }

// codexName takes a rollout's file name apart: the id of its thread, and whether
// the client finds a file of that name. After a revert a name has two ids, the
// thread's and its own. (Codex 0.171.0.)
func codexName(path string) (thread string, found bool) {
	name := strings.TrimSuffix(filepath.Base(path), ".zst")
	stem, ok := strings.CutSuffix(name, ".jsonl")
	if len(stem) < 36 {
		return "", false
	}
	tail := stem[len(stem)-36:]
	if !uuid.Valid(tail) {
		return "", false
	}
	if n := len(stem) - 37; n >= 36 && stem[n] == '_' && uuid.Valid(stem[n-36:n]) {
		tail = stem[n-36 : n]
	}
	return tail, ok && strings.HasPrefix(stem, "rollout-")
}
