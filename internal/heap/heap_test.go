package heap

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestTheShareFollowsWhatIsInUse(t *testing.T) {
	for live, want := range map[uint64]int{0: 1000, 1: 1000, 4: 900, 10: 300, 16: 150, 20: 100, 32: 25, 40: 20, 64: 12, 80: 10, 1000: 10} {
		if got := percent(live<<20, 40<<20, 8<<20); got != want {
			t.Errorf("%d MB in use: %d %%, want %d", live, got, want)
		}
	}
}

func gogc() uint64 {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// The order matters: there is no way back.
func TestTheRuleFollowsWhatIsInUse(t *testing.T) {
	was := gogc()
	t.Setenv("GOGC", "100")
	Bound(0, 1<<20)
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
	if got := gogc(); got != was {
		t.Errorf("the rule is %d although the environment sets one", got)
	}
	t.Setenv("GOGC", "")
	Bound(0, 8<<20)
	held := make([]byte, 40<<20)
	for end := time.Now().Add(10 * time.Second); gogc() > 25; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("with 40 MB in use and 8 MB allowed the rule is %d %%", gogc())
		}
	}
	runtime.KeepAlive(held)
}
