package agenttest

import (
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
)

func testManifest(t *testing.T, a agent.Agent) {
	m, err := a.Manifest()
	must(t, err)
	again, err := a.Manifest()
	must(t, err)
	if again == m {
		t.Error("the manifest is shared: one caller's change would be every caller's")
	}
	for name, value := range map[string]string{"program": m.Program, "home.default": m.Home.Default, "install": m.Install, "session_id": m.SessionID} {
		if value == "" {
			t.Errorf("%s must be set", name)
		}
	}
	if !slices.Contains(m.Resume, "{id}") {
		t.Errorf("resume %q does not say where the id goes", m.Resume)
	}
	for _, env := range append(slices.Clone(m.SessionEnv), m.Home.Env) {
		if env != strings.ToUpper(env) || strings.ContainsAny(env, " =$") {
			t.Errorf("%q is no name of an environment variable", env)
		}
	}
	for _, id := range hostileIDs() {
		if argv, err := m.ResumeArgv(id); err == nil {
			t.Errorf("the id %q was taken: %q", id, argv)
		}
	}
}

// hostileIDs are ids that would be read as something else on a command line or
// in a path.
func hostileIDs() []string {
	return []string{
		"", "-", "--help", "-rf", "../../etc/passwd", "../../../escaped", "x", "a/b", `a\b`, "$(id)", "`id`", "a b", "a;b", "a\nb", "a\x00b", "\x1b[2Jx",
		"\u202etxt", "0190a1b2-c3d4-7000-8000-00000000000g", "0190a1b2-c3d4-7000-8000-000000000001 --yolo", " 0190a1b2-c3d4-7000-8000-000000000001",
		"0190a1b2-c3d4-7000-8000-000000000001\n",
	}
}
