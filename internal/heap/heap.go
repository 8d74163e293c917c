package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Bound makes the collector run when the heap reaches size bytes, or each time
// about garbage bytes have become unused where that is later. The runtime's own
// rule, as much garbage as there is in use, collects a small heap too often and
// lets a large one double. An environment that sets GOGC is obeyed instead.
func Bound(size, garbage uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var tune func(*cycle)
	tune = func(*cycle) {
		metrics.Read(live)
		debug.SetGCPercent(percent(live[0].Value.Uint64(), size, garbage))
		watch(tune)
	}
	watch(tune)
}

const (
	// least is where collecting more often costs more than it saves, in percent.
	least = 10
	// smallest is the heap that the runtime does not collect at a share of 100 %,
	// in bytes; it grows with the share. (Go 1.26, runtime/mgcpacer.go.)
	smallest = 4 << 20
)

// percent returns what share of the live bytes may be garbage.
func percent(live, size, garbage uint64) int {
	if live < size {
		garbage = max(garbage, size-live)
	}
	most := 100 * max(size, garbage) / smallest
	return int(max(min(100*garbage/max(live, 1), most), least))
}

// cycle is garbage from the start: it is gone once the collector has run.
type cycle struct{ _ [16]byte }

func watch(tune func(*cycle)) { runtime.SetFinalizer(new(cycle), tune) }
