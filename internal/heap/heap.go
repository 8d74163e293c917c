package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// KeepGarbage makes the collector run each time about budget bytes have become
// garbage, whatever is in use: the runtime's own rule, as much garbage as there
// is in use, collects a small heap too often and lets a large one double. An
// environment that sets GOGC is obeyed instead.
func KeepGarbage(budget uint64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var tune func(*cycle)
	tune = func(*cycle) {
		metrics.Read(live)
		debug.SetGCPercent(percent(live[0].Value.Uint64(), budget))
		watch(tune)
	}
	watch(tune)
}

// percent returns the share of garbage that is budget bytes with live ones in
// use.
func percent(live, budget uint64) int {
	const least = 10 // collecting more often costs more than it saves
	return max(least, int(min(100*budget/max(live, 1), 200)))
}

// cycle is garbage from the start: it is gone when the collector has run.
type cycle struct{ _ [16]byte }

func watch(tune func(*cycle)) { runtime.SetFinalizer(new(cycle), tune) }
