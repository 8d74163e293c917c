package cli

import (
	"fmt"
	"time"
)

// progress returns a function that shows on a terminal how far a file has been
// read, once that takes longer than a.patience, and one that wipes it away.
func (a *app) progress(what string) (report func(done, size int64), end func()) {
	if !a.errTTY || a.quiet {
		return nil, func() {}
	}
	began, last := time.Now(), time.Time{}
	shown := false
	report = func(done, size int64) {
		now := time.Now()
		if now.Sub(began) < a.patience || now.Sub(last) < 100*time.Millisecond || size == 0 {
			return
		}
		last, shown = now, true
		fmt.Fprintf(a.err, "\r%s %3d %% of %d MB", what, done*100/size, size>>20)
	}
	end = func() {
		if shown {
			shown = false
			fmt.Fprint(a.err, "\r\x1b[K")
		}
	}
	return report, end
}
