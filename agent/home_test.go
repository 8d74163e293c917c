package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/all"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

func TestPlaceIsTheVariableOrTheDefault(t *testing.T) {
	home := agent.Home{Dir: "/home/x", Getenv: func(name string) string { return map[string]string{"SET": "/elsewhere"}[name] }}
	for name, tt := range map[string]struct {
		place agent.Place
		want  string
	}{
		"set":         {agent.Place{Env: "SET", Default: "~/.a"}, "/elsewhere"},
		"unset":       {agent.Place{Env: "UNSET", Default: "~/.a/b"}, filepath.FromSlash("/home/x/.a/b")},
		"no variable": {agent.Place{Default: "~/.a"}, filepath.FromSlash("/home/x/.a")},
		"no home":     {agent.Place{Default: "/abs"}, ""},
	} {
		got, err := home.Path(tt.place)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestManifestsAreStrict(t *testing.T) {
	const good = "id: x\nname: X\nprogram: x\nverified: '1'\nhome: {env: X_HOME, default: ~/.x}\nsession_env: [X_ID]\nsession_id: '[a-z]+'\nresume: [x, '{id}']\nrules: [X.md]\ninstall: none\n"
	if _, err := agent.ParseManifest("x", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"an unknown key":           good + "colour: blue\n",
		"another id":               strings.Replace(good, "id: x", "id: y", 1),
		"no name":                  strings.Replace(good, "name: X", "name: ''", 1),
		"no version":               strings.Replace(good, "verified: '1'", "verified: ''", 1),
		"a home elsewhere":         strings.Replace(good, "~/.x", "/etc", 1),
		"a grammar that is broken": strings.Replace(good, "[a-z]+", "[a-z", 1),
		"no YAML":                  "\t: [",
	} {
		if m, err := agent.ParseManifest("x", []byte(text)); err == nil {
			t.Errorf("%s was taken: %+v", name, m)
		} else if !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%s: error %q does not name the agent", name, err)
		}
	}
}

func TestAgentsAreListedOnce(t *testing.T) {
	seen := make(map[string]bool)
	for _, a := range all.Agents() {
		m, err := a.Manifest()
		if err != nil {
			t.Fatal(err)
		}
		if seen[m.ID] {
			t.Errorf("%q twice", m.ID)
		}
		seen[m.ID] = true
	}
	if !seen["claude"] || !seen["codex"] {
		t.Errorf("listed are %v", seen)
	}
}

func TestFilesAreIdentifiedByTheirFirstRecords(t *testing.T) {
	const codex = `{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}`
	for name, tt := range map[string]struct{ text, want string }{
		"a record":                  {codex + "\n", "codex"},
		"behind a byte order mark":  {"\ufeff" + codex, "codex"},
		"behind lines of no JSON":   {"# comment\nmore\n" + codex, "codex"},
		"behind NUL bytes":          {"\x00\x00" + codex, "codex"},
		"behind records of no kind": {"{}\n[1]\n7\nnull\n" + codex, "codex"},
		"glued":                     {`{"a":1}` + codex, "codex"},
		"too far down":              {strings.Repeat("{}\n", 64) + codex, ""},
		"cut":                       {`{"uuid":"a","parentUuid":null,"message":{"content":"x"`, "claude"},
		"a document":                {"{\n  \"session\": {},\n  \"items\": []\n}", "codex"},
		"nothing":                   {"", ""},
		"prose":                     {"hello\n", ""},
		"nesting":                   {strings.Repeat("[", 1<<16), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := agent.Identify(jsonl.FromBytes("x.jsonl", []byte(tt.text)))
			if err != nil || got != tt.want {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add([]byte(`{"uuid":"a","message":{"content":1}}`))
	f.Add([]byte("\ufeff#\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := jsonl.FromBytes("x", data)
		if _, err := agent.Identify(file); err != nil {
			t.Error(err)
		}
		agent.IsBlank(file)
	})
}
