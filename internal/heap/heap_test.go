package heap

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestTheShareIsThatOfTheBudget(t *testing.T) {
	for _, x := range []struct {
		live, budget uint64
		want         int
	}{{0, 8, 200}, {1, 8, 200}, {8, 8, 100}, {16, 8, 50}, {1000, 8, 10}, {80, 8, 10}, {64, 8, 12}} {
		if got := percent(x.live<<20, x.budget<<20); got != x.want {
			t.Errorf("%d MB in use: %d %%, want %d", x.live, got, x.want)
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
	KeepGarbage(1 << 20)
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
	if got := gogc(); got != was {
		t.Errorf("the rule is %d although the environment sets one", got)
	}
	t.Setenv("GOGC", "")
	KeepGarbage(8 << 20)
	held := make([]byte, 40<<20)
	for end := time.Now().Add(10 * time.Second); gogc() > 25; time.Sleep(time.Millisecond) {
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("with 40 MB in use and 8 MB allowed the rule is %d %%", gogc())
		}
	}
	runtime.KeepAlive(held)
}
