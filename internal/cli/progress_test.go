package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressComesAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var err bytes.Buffer
		a := &app{streams: streams{err: &err, errTTY: true}, patience: time.Second}
		report, end := a.progress("reading")
		step := func(d time.Duration, done int64) string {
			time.Sleep(d)
			err.Reset()
			report(done, 200<<20)
			return err.String()
		}
		for _, c := range []struct {
			after time.Duration
			done  int64
			want  string
		}{
			{0, 0, ""},
			{999 * time.Millisecond, 60 << 20, ""},
			{time.Millisecond, 61 << 20, "\rreading  30 % of 200 MB"},
			{99 * time.Millisecond, 80 << 20, ""}, // often enough
			{time.Millisecond, 100 << 20, "\rreading  50 % of 200 MB"},
			{time.Second, 200 << 20, "\rreading 100 % of 200 MB"},
		} {
			if got := step(c.after, c.done); got != c.want {
				t.Errorf("%d bytes after %v more: %q, want %q", c.done, c.after, got, c.want)
			}
		}
		for _, want := range []string{"\r\x1b[K", ""} { // wiped once
			err.Reset()
			if end(); err.String() != want {
				t.Errorf("at the end: %q, want %q", err.String(), want)
			}
		}
	})
}

func TestNoProgressWhereNobodyLooks(t *testing.T) {
	for name, a := range map[string]*app{"no terminal": {}, "quiet": {streams: streams{errTTY: true}, quiet: true}} {
		if report, end := a.progress("reading"); report != nil {
			t.Errorf("%s: progress is reported", name)
		} else {
			end()
		}
	}
}

func TestShortReadsShowNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var err bytes.Buffer
		a := &app{streams: streams{err: &err, errTTY: true}, patience: time.Second}
		report, end := a.progress("reading")
		report(10, 10)
		end()
		if err.Len() > 0 {
			t.Errorf("%q", err.String())
		}
	})
}
