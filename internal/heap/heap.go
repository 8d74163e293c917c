package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// KeepGarbage makes the collector run each time about budget bytes have become
// garbage, however much is in use. The runtime's own rule, as much garbage as
// there is in use, lets a large heap double. An environment that sets GOGC is
// obeyed instead.
func KeepGarbage(budget uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var tune func(*cycle)
	tune = func(*cycle) {
		metrics.Read(live)
		debug.SetGCPercent(percent(live[0].Value.Uint64(), budget))
		watch(tune)
	}
	watch(tune)
}

const (
	// least is where collecting more often costs more than it saves.
	least = 10
	// most bounds what a heap can take that grows before the rule is adjusted.
	most = 200
)

// percent returns what share of the bytes in use the budget is.
func percent(live, budget uint64) int {
	return int(min(max(100*budget/max(live, 1), least), most))
}

// cycle is garbage from the start: it is gone once the collector has run.
type cycle struct{ _ [16]byte }

func watch(tune func(*cycle)) { runtime.SetFinalizer(new(cycle), tune) }
