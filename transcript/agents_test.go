package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
)

func agents() map[string]agent.Agent {
	return map[string]agent.Agent{"claude": claude.New(), "codex": codex.New()}
}

// Sessions as the agents write them, rendered. Those of agent/canonical serve.
func TestGoldenOfAgents(t *testing.T) {
	for from, src := range agents() {
		for _, how := range []string{"text scaffolding", "html"} {
			t.Run(from+" "+how, func(t *testing.T) {
				golden := filepath.Join("testdata", "agents", from+"."+strings.Fields(how)[0])
				got := render(t, src, filepath.Join("..", "agent", "canonical", "testdata", "sessions", from+".jsonl"), how)
				if *update {
					if err := os.WriteFile(golden, got, 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		}
	}
}
