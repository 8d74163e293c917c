package agenttest

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// PeakMemory returns how many bytes of the heap f needed more than was in use
// before it.
func PeakMemory(t *testing.T, f func()) uint64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	before := heap()
	done, result := make(chan struct{}), make(chan uint64)
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		peak := before
		for {
			select {
			case <-tick.C:
				peak = max(peak, heap())
			case <-done:
				result <- max(peak, heap())
				return
			}
		}
	}()
	f()
	close(done)
	return <-result - before
}

func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// Generate writes a file of the records that next returns, until it has size
// bytes and next has been called at least once.
func Generate(t *testing.T, path string, size int64, next func(i int) string) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	w := bufio.NewWriterSize(f, 1<<20)
	var n int64
	for i := 0; i == 0 || n < size; i++ {
		s := next(i)
		_, err := w.WriteString(s)
		must(t, err)
		n += int64(len(s))
	}
	must(t, w.Flush())
	must(t, f.Close())
}
