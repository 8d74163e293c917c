package cli

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

func TestVersionSaysWhatItWasBuiltFrom(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"nothing known", nil, "(commit unknown, go"},
		{"a folder", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "(commit unknown, go"},
		{"a version of the module", &debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}}, "(module v0.2.0, go"},
		{"a checkout", &debug.BuildInfo{
			Main:     debug.Module{Version: "v0.0.0-20261201000000-0123456789ab"},
			Settings: []debug.BuildSetting{setting("vcs.revision", "0123456789abcdef"), setting("vcs.modified", "false")},
		}, "(commit 0123456789ab, go"},
		{"a checkout with changes", &debug.BuildInfo{
			Settings: []debug.BuildSetting{setting("vcs.revision", "0123456789abcdef"), setting("vcs.modified", "true")},
		}, "(commit 0123456789ab, modified, go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := version(c.info, c.info != nil), handoff.Version+" "+c.want; !strings.HasPrefix(got, want) {
				t.Errorf("%q does not begin with %q", got, want)
			}
		})
	}
}
