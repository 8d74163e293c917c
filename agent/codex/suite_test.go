package codex_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
)

const threadID = "019e1f50-34f4-78d4-9cc6-9de3a603a98e"

// The parts of rollouts, one record each.
const stamp = `{"timestamp":"2026-11-30T10:00:00.000Z",`

func meta(id string, more ...string) string {
	return stamp + `"type":"session_meta","payload":{"id":"` + id + `","timestamp":"2026-11-30T10:00:00.000Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.171.0"` + strings.Join(more, "") + `}}` + "\n"
}

func item(payload string) string {
	return stamp + `"type":"response_item","payload":` + payload + "}\n"
}

func event(payload string) string { return stamp + `"type":"event_msg","payload":` + payload + "}\n" }

func says(role, text string) string {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return item(`{"type":"message","role":"` + role + `","content":[{"type":"` + kind + `","text":"` + text + `"}]}`)
}

func prompt(text string) string {
	return event(`{"type":"user_message","message":"`+text+`"}`) + says("user", text)
}

func answer(text string) string {
	return says("assistant", text) + event(`{"type":"agent_message","message":"`+text+`"}`)
}

// small is the least that the client resumes, with a call.
var small = meta(threadID, `,"git":{"branch":"main","commit_hash":"abc"}`) +
	says("developer", "<permissions instructions>x</permissions instructions>") +
	says("user", "<environment_context>x</environment_context>") +
	prompt("please fix a.txt") +
	item(`{"type":"reasoning","summary":[],"encrypted_content":"gAAA"}`) +
	item(`{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"cat a.txt\"}","call_id":"call_1"}`) +
	item(`{"type":"function_call_output","call_id":"call_1","output":"alpha"}`) +
	answer("Done.")

func rollout(id string) string { return "rollout-2026-11-30T10-00-00-" + id + ".jsonl" }

func packed(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func TestSuite(t *testing.T) {
	agenttest.Run(t, codex.New(), agenttest.Fixtures{
		Sessions: []agenttest.File{
			{Name: rollout(threadID), Data: small},
			{Name: rollout(threadID) + ".zst", Data: packed(t, small)},
			{Name: "crlf/" + rollout(threadID), Data: "\ufeff" + strings.ReplaceAll(small, "\n", "\r\n")},
			{Name: "long/" + rollout(threadID), Data: strings.ReplaceAll(small, "please fix", strings.Repeat("日本語 😀 ", 200_000))},
			{Name: "old/" + rollout(threadID), Data: `{"id":"` + threadID + `","timestamp":"2025-05-13T18:58:38.000Z","instructions":null,"git":{}}` + "\n" +
				`{"record_type":"state"}` + "\n" + `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}` + "\n" +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}` + "\n"},
			{Name: "rollout-2025-04-17-" + threadID + ".json", Data: "{\n \"session\": {\"id\": \"" + threadID + "\", \"timestamp\": \"2025-04-17T10:00:00.000Z\", \"instructions\": \"\"},\n" +
				" \"items\": [\n  {\"type\": \"message\", \"role\": \"user\", \"content\": [{\"type\": \"input_text\", \"text\": \"hi\"}]},\n  {\"type\": \"message\", \"role\": \"assistant\", \"content\": [{\"type\": \"output_text\", \"text\": \"hello\"}]}\n ]\n}\n"},
		},
		Silent: []agenttest.File{
			{Name: rollout(threadID), Data: meta(threadID)},
			{Name: "context/" + rollout(threadID), Data: meta(threadID) + says("developer", "rules") + says("user", "<environment_context>x</environment_context>")},
			{Name: "undone/" + rollout(threadID), Data: meta(threadID) + prompt("x") + answer("y") + event(`{"type":"thread_rolled_back","num_turns":1}`)},
			{Name: "empty.json"},
		},
		Foreign: []agenttest.Foreign{
			{File: agenttest.File{Name: "claude.jsonl", Data: `{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}` + "\n"}, Got: "claude"},
			{File: agenttest.File{Name: "summary.jsonl", Data: `{"type":"summary","summary":"x","leafUuid":"y","sessionId":"s"}` + "\n"}, Got: "claude"},
			{File: agenttest.File{Name: "pi.jsonl", Data: `{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}` + "\n" + `{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"hi"}}` + "\n"}, Got: "pi"},
			{File: agenttest.File{Name: "gemini.json", Data: "{\n \"sessionId\": \"s\",\n \"projectHash\": \"h\",\n \"messages\": []\n}\n"}, Got: "Gemini CLI"},
			{File: agenttest.File{Name: "opencode.json", Data: `{"info":{"id":"ses_1"},"messages":[]}`}, Got: "OpenCode"},
			{File: agenttest.File{Name: "log.jsonl", Data: `{"level":"info","msg":"started"}` + "\n"}},
			{File: agenttest.File{Name: "broken.json", Data: `{"a":[`}},
		},
		Line: func(_ int, text string) string { return strings.TrimSuffix(says("user", text), "\n") },
		Home: buildHome,
	})
}

// buildHome makes a home with threads of every kind that a listing tells apart,
// and with what is none.
func buildHome(t *testing.T, dir string) (agent.Home, []agent.Entry) {
	home := filepath.Join(dir, "codex")
	put := func(name, data string) string {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var want []agent.Entry
	id := func(n int) string { return fmt.Sprintf("019e1f50-34f4-78d4-9cc6-%012d", n) }
	add := func(n int, folder, suffix, title, dir string, hidden agent.Hidden, data string) {
		name := fmt.Sprintf("%s/rollout-2026-11-30T10-00-%02d-%s%s", folder, n, id(n), suffix)
		want = append(want, agent.Entry{Agent: "codex", ID: id(n), Path: put(name, data), Title: title, Dir: dir, Hidden: hidden})
	}
	const day = "sessions/2026/11/30"
	add(1, day, ".jsonl", "fix the login", "/w", "", meta(id(1))+prompt(`fix the login\nsoon`)+answer("ok"))
	add(2, day, ".jsonl", "Renamed", "/w", "", meta(id(2))+prompt("x"))
	add(3, day, ".jsonl", "Named in the file", "/w", "", meta(id(3))+prompt("x")+event(`{"type":"thread_name_updated","thread_id":"`+id(3)+`","thread_name":"Named in the file"}`))
	add(4, day, ".jsonl", "paginated", "/w", "", meta(id(4), `,"history_mode":"paginated"`)+says("user", "paginated")+
		event(`{"type":"item_completed","item":{"type":"UserMessage","id":"i","content":[{"type":"text","text":"paginated","text_elements":[]}]}}`))
	add(5, "archived_sessions", ".jsonl", "put away", "/w", "archived", meta(id(5))+prompt("put away"))
	add(6, day, ".jsonl", "delegated", "/w", "subagent", meta(id(6), `,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":1}}}`)+prompt("delegated"))
	add(7, day, ".jsonl", "delegated too", "/w", "subagent", meta(id(7), `,"source":"cli","thread_source":"guardian_review"`)+prompt("delegated too"))
	add(8, day, ".jsonl", "run by a script", "/w", "headless", meta(id(8), `,"source":"exec"`)+prompt("run by a script"))
	add(9, day, ".jsonl", "", "/w", "no conversation", meta(id(9))+says("user", "<environment_context>x</environment_context>"))
	add(10, day, ".jsonl.zst", "packed", "/w", "", packed(t, meta(id(10))+prompt("packed")))
	add(11, "sessions", ".jsonl", "elsewhere", `C:\\a b`, "", strings.Replace(meta(id(11))+prompt("elsewhere"), `"cwd":"/w"`, `"cwd":"\\\\?\\C:\\\\a b"`, 1))
	add(12, day, ".jsonl", "behind the instructions", "/w", "", meta(id(12), `,"base_instructions":{"text":"`+strings.Repeat("i", 200<<10)+`"}`)+prompt("behind the instructions")+strings.Repeat(answer(strings.Repeat("x", 1000)), 200))
	add(13, day, ".json", "a document", "", "", `{"session":{"id":"`+id(13)+`"},"items":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a document"}]}]}`)
	add(14, day, ".jsonl", "reach the goal", "/w", "", meta(id(14))+event(`{"type":"thread_goal_updated","goal":{"objective":"reach the goal"}}`)+says("assistant", "Working."))
	add(15, day, "_019e1f50-34f4-78d4-9cc6-00000000000f.jsonl", "began", "/w", "", meta(id(15), `,"history_mode":"paginated","history_base":{"thread_id":"`+id(15)+`","end_ordinal_exclusive":3,"end_byte_offset":9}`)+prompt("went on"))
	put(day+"/rollout-2026-11-30T10-00-14-"+id(15)+".jsonl", meta(id(15))+prompt("began")) // the thread's first file
	add(16, day, ".jsonl", "both", "/w", "", meta(id(16))+prompt("both"))
	put(day+"/rollout-2026-11-30T10-00-16-"+id(16)+".jsonl.zst", packed(t, meta(id(16))+prompt("both")))
	put("archived_sessions/rollout-2026-11-30T10-00-16-"+id(16)+".jsonl", meta(id(16))+prompt("both"))

	put("session_index.jsonl", `{"id":"`+id(2)+`","thread_name":"First","updated_at":"t"}`+"\n"+"not json\n"+`{"id":"`+id(2)+`","thread_name":"Renamed","updated_at":"t"}`+"\n")
	put("history.jsonl", `{"session_id":"x","ts":1,"text":"no entry"}`+"\n")
	put("state_5.sqlite", "SQLite format 3\x00, but broken")
	put(day+"/notes.jsonl", meta(id(40))+prompt("no entry"))
	put(day+"/rollout-2026-11-30T10-00-41-"+id(41)+".jsonl.tmp", meta(id(41))+prompt("no entry"))
	put("thread-writer-locks/"+id(1)+".lock", "")
	if err := os.Symlink("/etc/passwd", filepath.Join(home, filepath.FromSlash(day), rollout(id(42)))); err != nil {
		t.Fatal(err)
	}
	return agent.Home{Dir: "/nowhere", Getenv: func(name string) string {
		if name == "CODEX_HOME" {
			return home
		}
		return ""
	}}, want
}
