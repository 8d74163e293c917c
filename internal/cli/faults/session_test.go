//go:build unix

package faults

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// The sessions of a machine, and the ids of what is made of them.
const (
	claudeID = "c1a0dead-0000-4000-8000-000000000001"
	codexID  = "019a0deb-0000-7000-8000-000000000002"
	newID    = "0190a1b2-c3d4-7000-8000-00000000abcd"
	pulledID = "0190a1b2-c3d4-7000-8000-00000000beef"
)

func quoted(s string) string {
	q, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(q)
}

// pad makes a record larger than the buffers that a part of it could fit in.
func pad(size int) string { return strings.Repeat("All work and no play. ", size/22+1)[:size] }

// claudeTurn is turn n of a session of Claude Code: a prompt and an answer, a
// line each. Its texts are "prompt n" and "answer n", followed by size bytes.
func claudeTurn(id, dir string, n, size int) []string {
	record := func(kind, parent, uuid, message string) string {
		return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":%s,"sessionId":%q,"version":"2.1.332","gitBranch":"main","type":%q,"message":%s,"uuid":%q,"timestamp":"2026-12-01T08:%02d:%02d.000Z"}`,
			parent, quoted(dir), id, kind, message, uuid, n/60%60, n%60)
	}
	uuid := func(n int, role string) string { return fmt.Sprintf("%s-%d-%s", id[:8], n, role) }
	parent := "null"
	if n > 1 {
		parent = quoted(uuid(n-1, "a"))
	}
	prompt, answer := fmt.Sprintf("prompt %d. ", n), fmt.Sprintf("answer %d. %s", n, pad(size))
	return []string{
		record("user", parent, uuid(n, "p"), `{"role":"user","content":`+quoted(prompt)+`}`),
		record("assistant", quoted(uuid(n, "p")), uuid(n, "a"), fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":%s}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":10,"output_tokens":5}}`, n, quoted(answer))),
	}
}

// codexHead is the first line of a rollout.
func codexHead(id, dir string) string {
	return fmt.Sprintf(`{"timestamp":"2026-12-01T06:00:00.000Z","type":"session_meta","payload":{"id":%q,"session_id":%q,"timestamp":"2026-12-01T06:00:00.000Z","cwd":%s,"originator":"codex_cli","cli_version":"0.171.0","source":"cli","thread_source":"user","git":{"branch":"main"}}}`, id, id, quoted(dir))
}

// codexTurn is turn n of a rollout, as claudeTurn.
func codexTurn(n, size int) []string {
	line := func(kind, payload string) string {
		return fmt.Sprintf(`{"timestamp":"2026-12-01T06:%02d:%02d.000Z","type":%q,"payload":%s}`, n/60%60, n%60, kind, payload)
	}
	prompt, answer := quoted(fmt.Sprintf("prompt %d. ", n)), quoted(fmt.Sprintf("answer %d. %s", n, pad(size)))
	return []string{
		line("response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":`+prompt+`}]}`),
		line("event_msg", `{"type":"user_message","message":`+prompt+`}`),
		line("response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":`+answer+`}]}`),
		line("event_msg", `{"type":"agent_message","message":`+answer+`}`),
	}
}

// claudeSession installs a session of Claude Code of so many turns, each with
// size bytes, and returns its path.
func (m *machine) claudeSession(turns, size int) string {
	m.t.Helper()
	var lines []string
	for n := range turns {
		lines = append(lines, claudeTurn(claudeID, m.project, n+1, size)...)
	}
	path := filepath.Join(m.claudeDir(), claudeID+".jsonl")
	m.put(path, strings.Join(lines, "\n")+"\n")
	return path
}

// codexSession installs a session of Codex.
func (m *machine) codexSession(turns, size int) string {
	m.t.Helper()
	lines := []string{codexHead(codexID, m.project)}
	for n := range turns {
		lines = append(lines, codexTurn(n+1, size)...)
	}
	path := filepath.Join(m.codexDir(), "rollout-2026-12-01T08-00-00-"+codexID+".jsonl")
	m.put(path, strings.Join(lines, "\n")+"\n")
	return path
}

// side gives the session of Claude Code a folder with a large output and a
// subagent's session.
func (m *machine) side(size int) {
	m.t.Helper()
	dir := filepath.Join(m.claudeDir(), claudeID)
	m.put(filepath.Join(dir, "tool-results", "toolu_1.txt"), pad(size))
	agentLines := strings.Join(claudeTurn(claudeID, m.project, 1, size), "\n") + "\n"
	m.put(filepath.Join(dir, "subagents", "agent-a1b2c3d4.jsonl"), strings.ReplaceAll(agentLines, `"isSidechain":false`, `"isSidechain":true,"agentId":"a1b2c3d4"`))
}

// grow adds a turn to a session file, as its client would.
func (m *machine) grow(path string, n int) {
	m.t.Helper()
	text := m.read(path)
	m.put(path, text+strings.Join(m.turn(path, text, n), "\n")+"\n")
}

// turn returns turn n for the session at path, which holds text.
func (m *machine) turn(path, text string, n int) []string {
	if strings.HasPrefix(filepath.Base(path), "rollout-") {
		return codexTurn(n, 20)
	}
	lines := claudeTurn(strings.TrimSuffix(filepath.Base(path), ".jsonl"), m.project, n, 20)
	uuids := regexp.MustCompile(`"uuid":("[^"]+")`).FindAllStringSubmatch(text, -1)
	lines[0] = regexp.MustCompile(`"parentUuid":[^,]+`).ReplaceAllString(lines[0], `"parentUuid":`+uuids[len(uuids)-1][1])
	return lines
}

// Places that can be small disks.
func codexHome(m *machine) string  { return filepath.Join(m.home, ".codex") }
func claudeHome(m *machine) string { return filepath.Join(m.home, ".claude") }
func stateDir(m *machine) string   { return m.state }
func projectDir(m *machine) string { return filepath.Join(m.project, "small") }
func tempDir(m *machine) string    { return m.tmp }

// installLarge installs sessions that do not fit into the buffers of a writer,
// and puts their paths into a command line: $source is that of Claude Code,
// $rollout that of Codex, $packed the same one compressed.
func (m *machine) installLarge(args []string) []string {
	m.t.Helper()
	const turns, size = 8, 20 << 10
	source, rollout := m.claudeSession(turns, size), m.codexSession(turns, size)
	m.side(100 << 10)
	packed := filepath.Join(m.project, filepath.Base(rollout)+".zst")
	z, err := zstd.NewWriter(nil)
	must(m.t, err)
	m.put(packed, string(z.EncodeAll([]byte(m.read(rollout)), nil)))
	return fill(args, map[string]string{"$source": source, "$rollout": rollout, "$packed": packed})
}

// fill replaces arguments that stand for others.
func fill(args []string, with map[string]string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if w, ok := with[a]; ok {
			out[i] = w
		}
	}
	return out
}

// written returns the file of the session newID.
func (m *machine) written() string {
	m.t.Helper()
	for _, path := range m.sessionFiles() {
		if strings.Contains(filepath.Base(path), newID) {
			return path
		}
	}
	m.t.Fatalf("no session %s is there", newID)
	return ""
}

// make runs the commands; "grow" adds a turn to the session newID.
func (m *machine) make(commands [][]string) {
	m.t.Helper()
	for _, args := range commands {
		if args[0] == "grow" {
			m.grow(m.written(), 9)
			continue
		}
		m.run(0, args...)
	}
}
