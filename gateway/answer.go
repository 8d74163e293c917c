package gateway

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// open sends the head of a streamed answer.
func (t *turn) open() {
	if t.began {
		return
	}
	t.began = true
	t.header()
	h := t.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	t.record.Status = http.StatusOK
	t.w.WriteHeader(http.StatusOK)
}

// send gives the caller a piece of an open stream, and reports whether it is still
// there. One that takes nothing for long is not.
func (t *turn) send(b []byte) bool {
	c := http.NewResponseController(t.w)
	_ = c.SetWriteDeadline(time.Now().Add(idle)) // not every server has one
	_, err := t.w.Write(b)
	if err == nil {
		err = c.Flush()
	}
	t.spoke = t.s.now()
	if err != nil {
		t.leave()
		t.cancel()
	}
	return err == nil
}

// leave ends a turn whose caller went away.
func (t *turn) leave() {
	t.record.Status, t.record.Error = status499, "the caller went away"
	t.content = true
}

// header sets the headers that every answer has.
func (t *turn) header() {
	h := t.w.Header()
	h.Set("X-Crosswalk-Turn", t.record.ID)
	if loss := lossHeader(t.report.Losses); loss != "" {
		h.Set("X-Crosswalk-Loss", loss)
	}
}

// writeError writes an error as a dialect has it, in a list if the answer would be
// one.
func writeError(w http.ResponseWriter, codec dialect.Codec, e *canon.APIError, list bool) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	w.WriteHeader(e.HTTPStatus())
	b := codec.EncodeError(nil, e)
	if list {
		b = listed(b)
	}
	_, _ = w.Write(b) // the caller is gone if it fails
}

// listed returns a list of one value.
func listed(b []byte) []byte { return slices.Concat([]byte{'['}, b, []byte{']'}) }

// maxLossHeader is how long the list of losses in a header may be, in bytes: some
// clients take 16 KB of headers, and what a caller lost may have names of its own
// making.
const maxLossHeader = 1024

// maxLossName is how long one of the names may be, in bytes.
const maxLossName = 40

// lossHeader counts losses by what was lost: "cache_control=2, image=1". Letters
// outside ASCII do not belong in a header. What is too much for one is counted
// together.
func lossHeader(losses []canon.Loss) string {
	counts := make(map[string]int)
	for _, l := range losses {
		counts[headerName(l.What)]++
	}
	var b strings.Builder
	rest := 0
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		entry := what + "=" + strconv.Itoa(counts[what])
		if b.Len()+len(entry) > maxLossHeader-len(", (others)=0000000000") {
			rest += counts[what]
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(entry)
	}
	if rest > 0 {
		b.WriteString(", (others)=" + strconv.Itoa(rest))
	}
	return b.String()
}

// headerName returns a name as a header's list can hold it.
func headerName(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' || r == ',' || r == '=' {
			return '_'
		}
		return r
	}, name[:min(len(name), maxLossName)])
}
