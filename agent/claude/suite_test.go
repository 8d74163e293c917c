package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/agenttest"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
)

const sessionID = "3461a501-2395-4ab5-a984-0865d6eb74a6"

// small is the least that the client resumes, with a bit more.
const small = `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"` + sessionID + `","cwd":"/w","gitBranch":"main","version":"2.1.332","timestamp":"2026-11-30T10:00:00.000Z","message":{"role":"user","content":"please fix a.txt"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","timestamp":"2026-11-30T10:00:01.000Z","message":{"id":"msg_1","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]}}
{"type":"assistant","uuid":"u3","parentUuid":"u2","timestamp":"2026-11-30T10:00:01.000Z","message":{"id":"msg_1","role":"assistant","model":"claude-x","content":[{"type":"text","text":"Looking."}]}}
{"type":"assistant","uuid":"u4","parentUuid":"u3","timestamp":"2026-11-30T10:00:01.000Z","message":{"id":"msg_1","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"cat a.txt"}}]}}
{"type":"user","uuid":"u5","parentUuid":"u4","timestamp":"2026-11-30T10:00:02.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"alpha"}]},"toolUseResult":{"stdout":"alpha"}}
{"type":"attachment","uuid":"u6","parentUuid":"u5","attachment":{"type":"todo_reminder","content":[]}}
{"type":"assistant","uuid":"u7","parentUuid":"u6","timestamp":"2026-11-30T10:00:03.000Z","message":{"id":"msg_2","role":"assistant","model":"claude-x","content":[{"type":"text","text":"Done."}]}}
`

func TestSuite(t *testing.T) {
	long := strings.Repeat("日本語 😀 ", 200_000)
	agenttest.Run(t, claude.New(), agenttest.Fixtures{
		Sessions: []agenttest.File{
			{Name: sessionID + ".jsonl", Data: small},
			{Name: "crlf/" + sessionID + ".jsonl", Data: "\ufeff" + strings.ReplaceAll(small, "\n", "\r\n")},
			{Name: "long/" + sessionID + ".jsonl", Data: strings.Replace(small, "please fix", long, 1)},
			{
				Name: sessionID + "/subagents/agent-a1.jsonl",
				Data: `{"type":"user","uuid":"s1","parentUuid":null,"isSidechain":true,"agentId":"a1","sessionId":"` + sessionID + `","cwd":"/w","message":{"role":"user","content":"look around"}}
{"type":"assistant","uuid":"s2","parentUuid":"s1","isSidechain":true,"agentId":"a1","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"Nothing."}]}}
`,
			},
		},
		Silent: []agenttest.File{
			{Name: "bookkeeping.jsonl", Data: `{"type":"file-history-snapshot","messageId":"m","snapshot":{}}` + "\n" + `{"type":"mode","mode":"normal","sessionId":"` + sessionID + `"}` + "\n"},
			{Name: "command.jsonl", Data: line("user", "c1", "", `"isMeta":true,"message":{"role":"user","content":"<local-command-caveat>x</local-command-caveat>"}`) +
				line("user", "c2", "c1", `"message":{"role":"user","content":"<command-name>/exit</command-name>"}`) +
				line("user", "c3", "c2", `"message":{"role":"user","content":"<local-command-stdout>Bye!</local-command-stdout>"}`)},
			{Name: "error.jsonl", Data: line("assistant", "e1", "", `"isApiErrorMessage":true,"message":{"role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 400"}]}`)},
		},
		Foreign: []agenttest.Foreign{
			{File: agenttest.File{Name: "rollout.jsonl", Data: `{"timestamp":"2026-11-30T10:00:00.000Z","type":"session_meta","payload":{"id":"x"}}` + "\n"}, Got: "codex"},
			{File: agenttest.File{Name: "rollout2.jsonl", Data: `{"timestamp":"2026-11-30T10:00:00.000Z","type":"event_msg","payload":{"type":"user_message","message":"hi"}}` + "\n"}, Got: "codex"},
			{File: agenttest.File{Name: "qwen.jsonl", Data: `{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"hi"}]}}` + "\n"}, Got: "Qwen Code"},
			{File: agenttest.File{Name: "pi.jsonl", Data: `{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}` + "\n" + `{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"hi"}}` + "\n"}, Got: "pi"},
			{File: agenttest.File{Name: "gemini.json", Data: "{\n \"sessionId\": \"s\",\n \"projectHash\": \"h\",\n \"messages\": []\n}\n"}, Got: "Gemini CLI"},
			{File: agenttest.File{Name: "opencode.json", Data: `{"info":{"id":"ses_1"},"messages":[]}`}, Got: "OpenCode"},
			{File: agenttest.File{Name: "copilot.jsonl", Data: `{"type":"session.start","data":{"sessionId":"s"},"id":"1","parentId":null}` + "\n"}, Got: "GitHub Copilot CLI"},
			{File: agenttest.File{Name: "log.jsonl", Data: `{"level":"info","msg":"started"}` + "\n"}},
		},
		Line: func(n int, text string) string {
			parent := "u7"
			if n > 0 {
				parent = fmt.Sprintf("g%d", n-1)
			}
			return strings.TrimSuffix(line("user", fmt.Sprintf("g%d", n), parent, `"message":{"role":"user","content":"`+text+`"}`), "\n")
		},
		Home: buildHome,
	})
}

// line returns one record.
func line(typ, uuid, parent, more string) string {
	if parent == "" {
		parent = "null"
	} else {
		parent = `"` + parent + `"`
	}
	return `{"type":"` + typ + `","uuid":"` + uuid + `","parentUuid":` + parent + `,"cwd":"/w",` + more + "}\n"
}

// buildHome makes a home with sessions of every kind that a listing tells apart,
// and with what is none.
func buildHome(t *testing.T, dir string) (agent.Home, []agent.Entry) {
	config := filepath.Join(dir, "config")
	put := func(name, data string, age time.Duration) string {
		path := filepath.Join(config, "projects", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var want []agent.Entry
	id := func(n int) string { return fmt.Sprintf("3461a501-2395-4ab5-a984-%012d", n) }
	add := func(n int, project, title, dir string, hidden agent.Hidden, data string) {
		path := put(project+"/"+id(n)+".jsonl", data, time.Duration(n)*time.Hour)
		want = append(want, agent.Entry{Agent: "claude", ID: id(n), Path: path, Title: title, Dir: dir, Hidden: hidden})
	}
	talk := func(n int, cwd, text string) string {
		return strings.ReplaceAll(line("user", fmt.Sprintf("a%d", n), "", `"message":{"role":"user","content":"`+text+`"}`)+
			line("assistant", fmt.Sprintf("b%d", n), fmt.Sprintf("a%d", n), `"message":{"role":"assistant","content":[{"type":"text","text":"ok"}]}`), `"/w"`, `"`+cwd+`"`)
	}
	add(1, "-w", "fix the login", "/w", "", talk(1, "/w", "fix the login\\nsoon"))
	add(2, "-w", "Named", "/w", "", talk(2, "/w", "prompt")+`{"type":"ai-title","aiTitle":"by the model","sessionId":"x"}`+"\n"+`{"type":"custom-title","customTitle":"Named","sessionId":"x"}`+"\n")
	add(3, "-w", "by the model", "/w", "", `{"type":"summary","summary":"old","leafUuid":"q"}`+"\n"+talk(3, "/w", "prompt")+`{"type":"ai-title","title":"by the model"}`+"\n")
	add(4, "-w", "side work", "/w", "subagent", strings.ReplaceAll(talk(4, "/w", "side work"), `"cwd"`, `"isSidechain":true,"agentId":"x","cwd"`))
	add(5, "-w", "run by a script", "/w", "headless", strings.ReplaceAll(talk(5, "/w", "run by a script"), `"cwd"`, `"entrypoint":"sdk-cli","cwd"`))
	add(6, "-w", "", "/w", "no conversation", line("user", "n1", "", `"message":{"role":"user","content":"<command-name>/exit</command-name>"}`))
	add(7, "-w", "", "", "no conversation", `{"type":"file-history-snapshot","messageId":"m","snapshot":{}}`+"\n")
	add(8, "-w", "other project", "/W", "", talk(8, "/W", "other project"))
	add(9, "-w-é", "in another folder", "/w", "", talk(9, "/w", "in another folder"))
	add(10, "-w", "after a long line", "/w", "", `{"type":"file-history-snapshot","messageId":"m","snapshot":{"x":"`+strings.Repeat("x", 5<<20)+`"}}`+"\n"+talk(10, "/w", "after a long line")+`{"type":"mode","mode":"`+strings.Repeat("y", 100<<10)+`"}`+"\n")
	add(11, "-w", "torn", "/w", "", talk(11, "/w", "torn")+`{"type":"user","uuid":"t`)
	add(12, "-w", "zeros", "/w", "", "\x00\x00\x00"+talk(12, "/w", "zeros"))
	// What older versions wrote at each resume: a new file with all that was.
	add(20, "-v", "resumed", "/v", "continued", talk(20, "/v", "resumed"))
	add(19, "-v", "resumed", "/v", "", talk(20, "/v", "resumed")+line("user", "c20", "b20", `"message":{"role":"user","content":"more"}`))
	want = append(want, agent.Entry{
		Agent: "claude", ID: "agent-a1b2", Title: "flat", Dir: "/w", Hidden: "subagent",
		Path: put("-w/agent-a1b2.jsonl", strings.ReplaceAll(talk(30, "/w", "flat"), `"cwd"`, `"isSidechain":true,"cwd"`), 0),
	})

	put("-w/"+id(1)+"/subagents/agent-x.jsonl", talk(31, "/w", "no entry"), 0)
	put("-w/"+id(1)+"/tool-results/r.txt", "output", 0)
	put("-w/memory/MEMORY.md", "notes", 0)
	put("-w/sessions-index.json", `{"version":1,"entries":[{"sessionId":"gone","fullPath":"/nowhere.jsonl"}]}`, 0)
	put("-w/notes.jsonl", talk(32, "/w", "no entry"), 0)
	put("-w/"+id(1)+".jsonl.bak", talk(33, "/w", "no entry"), 0)
	put("-w/."+id(1)+".jsonl", talk(34, "/w", "no entry"), 0)
	put(id(40)+".jsonl", talk(35, "/w", "no entry"), 0)
	if err := os.Mkdir(filepath.Join(config, "projects", "-w", id(50)+".jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(config, "projects", "-w", id(51)+".jsonl")); err != nil {
		t.Fatal(err)
	}
	return agent.Home{Dir: "/nowhere", Getenv: func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return config
		}
		return ""
	}}, want
}
