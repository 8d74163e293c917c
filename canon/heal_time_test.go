package canon_test

import (
	"fmt"
	"hash/maphash"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Pairing takes time in proportion to the calls, however many are open at once
// and in whatever order they are answered.
func TestManyParallelCallsArePairedInTime(t *testing.T) {
	for name, place := range map[string]func(i, n int) int{
		"in order": func(i, _ int) int { return i }, "backwards": func(i, n int) int { return n - 1 - i }, "mixed": func(i, n int) int { return i * 7919 % n },
	} {
		took := func(n int) time.Duration {
			calls, results := &canon.Message{Role: canon.Assistant}, &canon.Message{Role: canon.User}
			index := canon.NewCallIndex(maphash.MakeSeed())
			for i := range n {
				calls.Blocks = append(calls.Blocks, &canon.ToolCallBlock{CallID: fmt.Sprint("call", i), Name: "a"})
				id := fmt.Sprint("call", place(i, n))
				results.Blocks = append(results.Blocks, &canon.ToolResultBlock{CallID: id})
				index.AddResult(id)
			}
			start := time.Now()
			for _, err := range canon.Heal(func(yield func(*canon.Message, error) bool) { _ = yield(calls, nil) && yield(results, nil) }, index, new(canon.Report)) {
				if err != nil {
					t.Fatal(err)
				}
			}
			return time.Since(start)
		}
		t.Run(name, func(t *testing.T) {
			const n, times = 5_000, 16
			var one, more time.Duration
			for range 4 { // a busy machine may be the reason
				one, more = took(n), took(times*n)
				if more < 4*times*one || more < 200*time.Millisecond {
					return
				}
			}
			t.Errorf("%v for %d calls, %v for %d times as many", one, n, more, times)
		})
	}
}
