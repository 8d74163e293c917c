package canon_test

import (
	"fmt"
	"hash/maphash"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// Pairing takes time in proportion to the calls, however many are open at once
// and in whatever order they are answered.
func TestManyParallelCallsArePairedInTime(t *testing.T) {
	for name, place := range map[string]func(i, n int) int{
		"in order": func(i, _ int) int { return i }, "backwards": func(i, n int) int { return n - 1 - i }, "mixed": func(i, n int) int { return i * 7919 % n },
	} {
		t.Run(name, func(t *testing.T) {
			fixture.InProportion(t, 80_000, func(n int) time.Duration {
				calls, results := &canon.Message{Role: canon.Assistant}, &canon.Message{Role: canon.User}
				index := canon.NewCallIndex(maphash.MakeSeed())
				for i := range n {
					calls.Blocks = append(calls.Blocks, &canon.ToolCallBlock{CallID: fmt.Sprint("call", i), Name: "a"})
					id := fmt.Sprint("call", place(i, n))
					results.Blocks = append(results.Blocks, &canon.ToolResultBlock{CallID: id})
					index.AddResult(id)
				}
				return fixture.Time(func() {
					for _, err := range canon.Heal(func(yield func(*canon.Message, error) bool) { _ = yield(calls, nil) && yield(results, nil) }, index, new(canon.Report)) {
						if err != nil {
							t.Fatal(err)
						}
					}
				})
			})
		})
	}
}
