package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/conformance/rig"
)

// testNow is the present in tests, unless they say otherwise.
const testNow = "2026-12-01T10:00:00Z"

// soon is how long something may take on a busy machine.
const soon = 20 * time.Second

// world is a machine of its own: a home and a project, and the sessions in
// testdata/session at their place in it.
type world struct {
	home, project, tmp string
	now                time.Time
	taken              map[string]rig.Snapshot
}

// newWorld makes a world in dir.
func newWorld(dir string) (*world, error) {
	now, err := time.Parse(time.RFC3339, testNow)
	w := &world{home: filepath.Join(dir, "home"), project: filepath.Join(dir, "project"), tmp: filepath.Join(dir, "tmp"), now: now, taken: make(map[string]rig.Snapshot)}
	for _, d := range []string{w.home, w.project, w.tmp} {
		if err == nil {
			err = os.MkdirAll(d, 0o700)
		}
	}
	return w, err
}

// env is the environment of programs in the world. bin comes first in PATH.
func (w *world) env(bin ...string) []string {
	path := append(bin, strings.Split(os.Getenv("PATH"), string(os.PathListSeparator))[0], "/usr/bin", "/bin")
	return []string{
		"HOME=" + w.home, "PATH=" + strings.Join(path, string(os.PathListSeparator)), "TZ=UTC", "LANG=C.UTF-8",
		"TERM=xterm-256color", "TMPDIR=" + w.tmp, nowEnv + "=" + w.now.Format(time.RFC3339),
	}
}

// install puts the session testdata/session/<name> into the home of its agent,
// as one of dir that was last changed age ago.
func (w *world) install(name string, age time.Duration, dir string) (id, path string, err error) {
	pattern := filepath.Join("testdata", "session", name+".*.jsonl")
	if name == "sample" { // the one that is shipped
		pattern = filepath.Join("sample", "claude.jsonl")
	}
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != 1 {
		return "", "", fmt.Errorf("session %q: %d files, %w", name, len(found), err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		return "", "", err
	}
	id, path = w.place(text, strings.Contains(found[0], "claude."), dir)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", "", err
	}
	if err := os.WriteFile(path, []byte(fill(string(text), dir)), 0o600); err != nil {
		return "", "", err
	}
	at := w.now.Add(-age)
	return id, path, os.Chtimes(path, at, at)
}

// place tells the id of a session and where its agent looks for it.
func (w *world) place(text []byte, ofClaude bool, dir string) (id, path string) {
	line, _, _ := strings.Cut(string(text), "\n")
	var first struct {
		SessionID string
		Payload   struct{ ID string }
	}
	_ = json.Unmarshal([]byte(line), &first)
	if ofClaude {
		return first.SessionID, filepath.Join(w.home, ".claude", "projects", claude.ProjectDirName(dir), first.SessionID+".jsonl")
	}
	id = first.Payload.ID
	return id, filepath.Join(w.home, ".codex", "sessions", "2026", "12", "01", "rollout-2026-12-01T08-00-00-"+id+".jsonl")
}

// planted are the secrets that the session "keys" holds, made at run time so
// that no scanner takes them for real ones.
func planted() (plain, slashed string) {
	return "gh" + "p_" + strings.Repeat("a1B2c3D4e", 4), "AB" + "SK" + strings.Repeat("q9/Rw+7T", 16) + "=="
}

// fill puts what only a run knows into the text of a session: the directory, and
// secrets in the forms that JSON gives them.
func fill(text, dir string) string {
	plain, slashed := planted()
	escape := func(prefix, format string, every int) string {
		var b strings.Builder
		for i := range len(plain) {
			if i%every == 0 {
				fmt.Fprintf(&b, prefix+`\u00`+format, plain[i])
			} else {
				b.WriteByte(plain[i])
			}
		}
		return b.String()
	}
	quoted, _ := json.Marshal(dir)
	return strings.NewReplacer(
		`"cwd":"/sample/greeter"`, `"cwd":`+string(quoted), `"2026-11-30T09:`, `"2026-12-01T07:`,
		"$DIR", strings.Trim(string(quoted), `"`),
		"@PLAIN@", plain,
		"@LOWER@", escape("", "%02x", 1),
		"@UPPER@", escape("", "%02X", 2),
		"@NESTED@", escape(`\`, "%02x", 1),
		"@QUOTED@", `\\n`+plain,
		"@SLASHED@", strings.ReplaceAll(slashed, "/", `\/`),
	).Replace(text)
}

// leaked says which planted secret is in the text of a session file: as it
// stands, in what its strings stand for, and in what those stand for when they
// are JSON once more.
func leaked(text string) string {
	plain, slashed := planted()
	escape := regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)
	for depth := range 6 {
		for _, secret := range []string{plain, slashed} {
			if i := strings.Index(text, secret); i >= 0 {
				return fmt.Sprintf("a secret, %d times escaped: %q", depth, text[max(0, i-60):i+len(secret)])
			}
		}
		text = escape.ReplaceAllStringFunc(text, func(e string) string {
			var s string
			if json.Unmarshal([]byte(`"`+e+`"`), &s) != nil {
				return e
			}
			return s
		})
	}
	return ""
}

// grow adds a turn to the session file at path, as its client would.
func grow(path, prompt, answer string) error { return growAfter(path, "", prompt, answer) }

// growAfter is grow for a turn after the record parent of a session of Claude
// Code; the last one if it is empty.
func growAfter(path, parent, prompt, answer string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	quote := func(s string) string {
		q, _ := json.Marshal(s)
		return string(q)
	}
	var added []string
	if strings.HasPrefix(filepath.Base(path), "rollout-") {
		added = grownCodex(quote(prompt), quote(answer))
	} else if added, err = grownClaude(string(text), parent, quote(prompt), quote(answer)); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(added, "\n") + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// opened adds to the session file at path what its client notes when somebody
// only opens the session.
func opened(path string) error {
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	noted := fmt.Sprintf(`{"type":"mode","mode":"normal","sessionId":%q}`, id)
	if strings.HasPrefix(id, "rollout-") {
		noted = `{"timestamp":"2026-12-01T10:20:00.000Z","type":"event_msg","payload":{"type":"thread_settings_applied","model":"gpt-6"}}`
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(noted + "\n")
	return errors.Join(err, f.Close())
}

// fork makes a fork of the session at path under a new id, as its client does: the
// records are the same, what only Crosswalk knows is not in it.
func fork(path, id string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	old := name[len(name)-len(id):]
	var out []string
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, `"crosswalk-link"`), strings.Contains(line, `"last-prompt"`):
			continue
		case strings.Contains(line, `"type":"session_meta"`):
			line = regexp.MustCompile(`,"sesh":\{[^}]*\},"crosswalk":\{[^}]*\}`).ReplaceAllString(line, `,"forked_from_id":"`+old+`"`)
			line = strings.ReplaceAll(strings.ReplaceAll(line, `"id":"`+old, `"id":"`+id), `"session_id":"`+old, `"session_id":"`+id)
		case strings.Contains(line, `"type":"assistant"`):
			line = strings.TrimSuffix(line, "}\n") + `,"requestSessionId":"` + old + `"}` + "\n"
		}
		out = append(out, strings.ReplaceAll(line, `"sessionId":"`+old, `"sessionId":"`+id))
	}
	return os.WriteFile(filepath.Join(filepath.Dir(path), strings.TrimSuffix(name, old)+id+".jsonl"), []byte(strings.Join(out, "")), 0o600)
}

// revert makes the rollout at path a paginated one, and a file that goes on from
// its first n records, whose path it returns. (Codex 0.171.0.)
func revert(path string, n int) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	for i, line := range lines {
		lines[i] = strings.Replace(line, `,"type":`, fmt.Sprintf(`,"ordinal":%d,"type":`, i), 1)
	}
	lines[0] = strings.Replace(lines[0], `"cwd":`, `"history_mode":"paginated","cwd":`, 1)
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	thread := name[len(name)-36:]
	meta := strings.Replace(lines[0], `"cwd":`, fmt.Sprintf(`"history_base":{"thread_id":%q,"end_ordinal_exclusive":%d},"cwd":`, thread, n), 1)
	own := filepath.Join(filepath.Dir(path), name+"_019a0dff-0000-7000-8000-0000000000ff.jsonl")
	return own, errors.Join(os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600), os.WriteFile(own, []byte(meta), 0o600))
}

// pack compresses the file at path, as Codex does with rollouts that nobody
// opened for some days.
func pack(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		return err
	}
	packed := enc.EncodeAll(text, nil)
	return errors.Join(enc.Close(), os.WriteFile(path+".zst", packed, 0o600), os.Chtimes(path+".zst", info.ModTime(), info.ModTime()), os.Remove(path))
}

// unpack is the reverse of pack; path ends in .zst.
func unpack(path string) error {
	packed, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		return err
	}
	defer dec.Close()
	text, err := dec.DecodeAll(packed, nil)
	return errors.Join(err, os.WriteFile(strings.TrimSuffix(path, ".zst"), text, 0o600), os.Remove(path))
}

func grownCodex(prompt, answer string) []string {
	item := func(role, kind, text string) string {
		return `{"timestamp":"2026-12-01T10:30:00.000Z","type":"response_item","payload":{"type":"message","role":"` + role +
			`","content":[{"type":"` + kind + `","text":` + text + `}]}}`
	}
	event := func(kind, text string) string {
		return `{"timestamp":"2026-12-01T10:30:00.000Z","type":"event_msg","payload":{"type":"` + kind + `","message":` + text + `}}`
	}
	return []string{
		item("user", "input_text", prompt), event("user_message", prompt),
		item("assistant", "output_text", answer), event("agent_message", answer),
	}
}

func grownClaude(text, parent, prompt, answer string) ([]string, error) {
	var last struct{ UUID, SessionID, Cwd string }
	for line := range strings.Lines(text) {
		rec := last
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			return nil, err
		}
		if strings.Contains(line, `"parentUuid"`) {
			last = rec
		}
	}
	if parent != "" {
		last.UUID = parent
	}
	record := func(kind, parent, id, message string) string {
		return fmt.Sprintf(`{"parentUuid":%q,"isSidechain":false,"userType":"external","cwd":%q,"sessionId":%q,"version":"2.1.332","type":%q,"message":%s,"uuid":%q,"timestamp":"2026-12-01T10:30:00.000Z"}`,
			parent, last.Cwd, last.SessionID, kind, message, id)
	}
	asked, said := fmt.Sprintf("grown-%d-a", strings.Count(text, "\n")), fmt.Sprintf("grown-%d-b", strings.Count(text, "\n"))
	return []string{
		record("user", last.UUID, asked, `{"role":"user","content":`+prompt+`}`),
		record("assistant", asked, said, `{"id":"msg_`+said+`","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{"type":"text","text":`+answer+`}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`),
		fmt.Sprintf(`{"type":"last-prompt","lastPrompt":%s,"leafUuid":%q,"sessionId":%q}`, prompt, said, last.SessionID),
	}, nil
}
