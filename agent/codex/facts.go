package codex

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// facts are what a rollout says beside its items.
type facts struct {
	meta        meta
	metas       int
	name, goal  string
	model       string
	created     time.Time
	updated     time.Time
	typed       map[uint64]bool // hashes of what a person typed
	records     int
	wrapped     int // records with a payload
	said        int // records that hold conversation
	unknown     agent.Unknown
	firstPrompt string
	firstItem   string          // the first item of the user, in a rollout without events
	lastOrdinal int64           // -1 if there is none
	agents      map[string]bool // other threads that events tell of: subagents, and who started this one
}

// meta is the first session_meta of a rollout: the canonical one.
type meta struct {
	id, cwd, version, source string
	threadSource, parent     string
	subagent                 bool
	branch, commit           string
	forkedFrom               string
	historyMode              string
	base                     historyBase
	baseInstructions         canon.Text
	created                  time.Time
	marker                   marker
}

// historyBase says that a thread goes on from a part of another file.
type historyBase struct {
	// thread is the id that the file's name ends in: the thread's own, or that
	// of the rollout in which it went on. (Codex 0.171.0.)
	thread     string
	endOrdinal int64
}

func (f *facts) time(t time.Time) {
	if t.IsZero() {
		return
	}
	if f.created.IsZero() {
		f.created = t
	}
	f.updated = t
}

// titleBytes is how much of a first prompt is kept for a title.
const titleBytes = 512

// prompt keeps the first prompt, as a title.
func (f *facts) prompt(text []byte) {
	if f.firstPrompt == "" {
		f.firstPrompt = titleOf(text)
	}
}

// environment takes the directory from what the client tells the model of its
// surroundings: the oldest rollouts say it nowhere else.
func (f *facts) environment(text []byte) {
	if f.meta.cwd != "" {
		return
	}
	_, rest, ok := bytes.Cut(text[:min(len(text), titleBytes)], []byte("<cwd>"))
	dir, _, whole := bytes.Cut(rest, []byte("</cwd>"))
	if ok && whole {
		f.meta.cwd = strings.TrimSpace(strings.ToValidUTF8(string(dir), "\uFFFD"))
	}
}

// titleOf returns the beginning of a prompt, without what an editor puts before
// it.
func titleOf(text []byte) string {
	if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("# ")) {
		_, request, _ := splitRequest(canon.NewText(string(text)))
		text = request.AppendTo(nil)
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text[:min(len(text), titleBytes)]), ""))
}

func (f *facts) addTyped(h uint64) {
	if f.typed == nil {
		f.typed = make(map[uint64]bool)
	}
	f.typed[h] = true
}

func (f *facts) unknownRecord(typ string) {
	f.unknown.Add(typ)
}

func (f *facts) readContext(d *jsonx.Decoder) {
	for name := range d.Members() {
		switch string(name) {
		case "model":
			f.model = d.OptStr()
		case "cwd":
			if f.meta.cwd == "" {
				f.meta.cwd = d.OptStr()
			}
		}
	}
}

func (f *facts) readGoal(d *jsonx.Decoder) {
	for name := range d.Members() {
		switch string(name) {
		case "objective", "goal", "text":
			if d.Kind() == jsonx.String {
				f.goal = d.Str()
			}
		}
	}
}

// readMeta reads a session_meta payload, or the first line of the oldest form.
// Forks and subagents repeat their parents' metas; the first counts.
func (f *facts) readMeta(d *jsonx.Decoder) {
	f.metas++
	var m meta
	for name := range d.Members() {
		m.member(d, string(name))
	}
	if f.metas == 1 {
		f.meta = m
		f.time(m.created)
	}
}

func (m *meta) member(d *jsonx.Decoder, name string) {
	switch name {
	case "id":
		m.id = d.OptStr()
	case "cwd":
		m.cwd = d.OptStr()
	case "cli_version":
		m.version = d.OptStr()
	case "timestamp":
		m.created = d.OptTime()
	case "forked_from_id":
		m.forkedFrom = d.OptStr()
	case "history_mode":
		m.historyMode = d.OptStr()
	case "source":
		m.readSource(d)
	case "thread_source":
		m.threadSource = d.OptStr()
	case "parent_thread_id":
		m.parent = d.OptStr()
	case "git":
		m.readGit(d)
	case "history_base":
		m.readBase(d)
	case "base_instructions":
		m.readInstructions(d)
	case markerField:
		read := readMarker(d)
		read.handoff = cmp.Or(read.handoff, m.marker.handoff)
		m.marker = read
	case crosswalkField:
		m.marker.merge(readMarker(d))
	}
}

func (m *meta) readSource(d *jsonx.Decoder) {
	switch d.Kind() {
	case jsonx.String:
		m.source = d.Str()
	case jsonx.Object:
		for name := range d.Members() {
			m.source = string(name)
			if m.source == "subagent" {
				m.subagent = true
				m.readSpawn(d)
			}
		}
	default:
		d.Skip()
	}
}

// readSpawn reads who started a subagent.
func (m *meta) readSpawn(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		if string(name) != "thread_spawn" || d.Kind() != jsonx.Object {
			continue
		}
		for member := range d.Members() {
			if string(member) == "parent_thread_id" {
				m.parent = cmp.Or(d.OptStr(), m.parent)
			}
		}
	}
}

func (f *facts) agent(thread string) {
	if f.agents == nil {
		f.agents = make(map[string]bool)
	}
	f.agents[thread] = true
}

func (m *meta) readGit(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		switch string(name) {
		case "branch":
			m.branch = d.OptStr()
		case "commit_hash":
			m.commit = d.OptStr()
		}
	}
}

func (m *meta) readBase(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		switch string(name) {
		case "thread_id":
			m.base.thread = d.OptStr()
		case "end_ordinal_exclusive":
			m.base.endOrdinal = d.OptInt()
		}
	}
}

func (m *meta) readInstructions(d *jsonx.Decoder) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return
	}
	for name := range d.Members() {
		if string(name) == "text" && d.Kind() == jsonx.String {
			m.baseInstructions = canon.NewText(d.Str()) // the record's memory is not ours
		}
	}
}
