package claude_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
)

// The names in this table that begin with -tmp-lab were made by Claude Code
// 2.1.332 itself.
func TestProjectDirName(t *testing.T) {
	p, q, n := strings.Repeat("p", 150), strings.Repeat("q", 42), strings.Repeat("n", 189)
	for name, tt := range map[string]struct{ dir, want string }{
		"an emoji is two units, each other character one": {"/tmp/lab/d/x😀y_é.日本 z", "-tmp-lab-d-x--y------z"},
		"a decomposed letter is two":                      {"/tmp/lab/d/cafe\u0301", "-tmp-lab-d-cafe-"},
		"a composed one is one":                           {"/tmp/lab/d/café", "-tmp-lab-d-caf-"},
		"case stays, all else becomes a dash":             {"/tmp/lab/d/A.b-C_d", "-tmp-lab-d-A-b-C-d"},
		"207 units with an emoji at the end":              {"/tmp/lab/d/" + p + "/" + q + "😀é", "-tmp-lab-d-" + p + "-" + q[:38] + "-ws21nv"},
		"200 units are not cut":                           {"/tmp/lab/d/" + n, "-tmp-lab-d-" + n},
		"201 are":                                         {"/tmp/lab/d/" + n + "n", "-tmp-lab-d-" + n + "-ycgdak"},
		"a path of Windows":                               {`C:\a b`, "C--a-b"},
		"a share of Windows":                              {`\\server\share\a`, "--server-share-a"},
		"the root":                                        {"/", "-"},
		"anthropics/claude-code#70076 underscore":         {"/w/a_b", "-w-a-b"},
		"anthropics/claude-code#70076 dot":                {"/w/a.b", "-w-a-b"},
		"anthropics/claude-code#70076 hyphen":             {"/w/a-b", "-w-a-b"},
		"anthropics/claude-code#70076 drive":              {`D:\w\a_b`, "D--w-a-b"},
		"anthropics/claude-code#52513 Cyrillic":           {"/w/проект", "-w-------"},
		"anthropics/claude-code#52513 Chinese":            {"/w/项目一二三四", "-w-------"},
		"nothing":                                         {"", ""},
		"a byte that is no UTF-8":                         {"/w/\xff", "-w--"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := claude.ProjectDirName(tt.dir); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// The hash is that of JavaScript: 32 bits, over the whole path.
func TestProjectDirNameOfLongPathsDiffer(t *testing.T) {
	long := "/" + strings.Repeat("x", 300)
	seen := make(map[string]string)
	for _, end := range []string{"", "a", "b", "ab", "ba", "é", "😀", "_", "-"} {
		name := claude.ProjectDirName(long + end)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q share %q", end, other, name)
		}
		seen[name] = end
		if head, _, _ := strings.Cut(name[200:], "-"); head != "" || name[:200] != claude.ProjectDirName(long)[:200] {
			t.Errorf("%q is not cut at 200", name)
		}
	}
}

func TestSessionsGoToTheProjectOfTheirDirectory(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		dir  string
		want string // below the home; "" is an error
	}{
		"the home directory": {nil, "/w/a b", ".claude/projects/-w-a-b"},
		"another config directory": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf"}, "/w", "conf/projects/-w",
		},
		"a name of one's own": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": "Mine_1-a"}, "/w", "conf/projects/Mine_1-a",
		},
		"which needs a config directory": {
			map[string]string{"CLAUDE_CODE_PROJECT_DIR_NAME": "mine"}, "/w", ".claude/projects/-w",
		},
		"and no path": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": "../mine"}, "/w", "conf/projects/-w",
		},
		"no spaces": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": "my own"}, "/w", "conf/projects/-w",
		},
		"no more than 64 characters": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": strings.Repeat("m", 65)}, "/w", "conf/projects/-w",
		},
		"but 64": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": strings.Repeat("m", 64)}, "/w", "conf/projects/" + strings.Repeat("m", 64),
		},
		"no device of Windows": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": "LPT9"}, "/w", "conf/projects/-w",
		},
		"nor a short one": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": "nul"}, "/w", "conf/projects/-w",
		},
		"but what only begins like one": {
			map[string]string{"CLAUDE_CONFIG_DIR": "HOME/conf", "CLAUDE_CODE_PROJECT_DIR_NAME": "com10"}, "/w", "conf/projects/com10",
		},
		"no directory, no project": {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			o := writeOptions(agent.Home{Dir: home, Getenv: func(name string) string {
				return strings.ReplaceAll(tt.env[name], "HOME", home)
			}})
			th := thread()
			th.Dir = tt.dir
			w, err := claude.New().Write(t.Context(), th, stream(typed("hi")), o)
			if tt.want == "" {
				if err == nil || !strings.Contains(err.Error(), "directory") {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(home, filepath.FromSlash(tt.want), newID+".jsonl"); w.Path != want {
				t.Errorf("%q, want %q", w.Path, want)
			}
		})
	}
}
