package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

// version says which program this is, and from what it was built: a commit, a
// version of the module, or what nobody knows.
func version(info *debug.BuildInfo, ok bool) string {
	from, dirty := "commit unknown", ""
	if ok {
		if strings.HasPrefix(info.Main.Version, "v") {
			from = "module " + info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				from = fmt.Sprintf("commit %.12s", s.Value)
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = ", modified"
			}
		}
	}
	return fmt.Sprintf("%s (%s%s, %s %s/%s)", handoff.Version, from, dirty, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
