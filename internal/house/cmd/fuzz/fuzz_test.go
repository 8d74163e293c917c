package main

import (
	"testing"
	"time"
)

func TestShareDividesWhatIsLeft(t *testing.T) {
	for _, c := range []struct {
		left, start time.Duration
		n           int
		want        time.Duration
	}{
		{2 * time.Minute, 0, 4, 30 * time.Second},
		{2 * time.Minute, 5 * time.Second, 4, 25 * time.Second},
		{10 * time.Second, 0, 3, 3300 * time.Millisecond},
		{10 * time.Second, 0, 40, time.Second},
		{-time.Second, time.Minute, 2, time.Second},
	} {
		if got := share(c.left, c.start, c.n); got != c.want {
			t.Errorf("share(%v, %v, %d) = %v, want %v", c.left, c.start, c.n, got, c.want)
		}
	}
}

func TestOnlyTheEnginesOwnTimeOutIsTriedAgain(t *testing.T) {
	for out, want := range map[string]bool{
		"--- FAIL: FuzzText (10.05s)\n    context deadline exceeded\nFAIL\n":                                   true,
		"--- FAIL: FuzzText (2.05s)\n    context deadline exceeded\n    Failing input written to testdata/x\n": false,
		"--- FAIL: FuzzText (2.05s)\n    text_test.go:3: wrong\n":                                              false,
	} {
		if got := cutOff(out); got != want {
			t.Errorf("cutOff(%q) = %v, want %v", out, got, want)
		}
	}
}

func TestATargetThatDidNotStartIsNoSuccess(t *testing.T) {
	for out, want := range map[string]bool{
		"fuzz: elapsed: 0s, gathering baseline coverage: 0/1 completed\nPASS\n": true,
		"testing: warning: no fuzz tests to fuzz\nPASS\n":                       false,
		"?   \texample.org/m/canon\t[no test files]\n":                          false,
	} {
		if got := ran(out); got != want {
			t.Errorf("ran(%q) = %v, want %v", out, got, want)
		}
	}
}
