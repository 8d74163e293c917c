package measure_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
)

func TestPeakOfTheParentIsNotThatOfTheProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("peaks are passed on by Linux only")
	}
	const big = 200 << 20
	if p := use(big); p < big {
		t.Fatalf("a peak of %d bytes, less than was used", p)
	}
	measure.ForgetPeak()
	if p := measure.Peak(); p == 0 || p > big/2 {
		t.Skipf("this system does not let peaks be forgotten: %d bytes", p)
	}
	cost, err := standIn(t, "ends").Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if cost.MaxRSS == 0 || cost.MaxRSS > big/2 {
		t.Errorf("the program is said to have used %d bytes", cost.MaxRSS)
	}
}

// use uses n bytes of memory and returns the peak.
func use(n int) int64 {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	defer runtime.KeepAlive(b)
	return measure.Peak()
}
