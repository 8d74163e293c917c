package gateway_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/gateway"
	"github.com/crosswalk-agents/crosswalk/internal/scripted"
)

// What callers do says nothing of an upstream, however many go away and whenever.
func TestCallersWhoLeaveDoNotCloseAnUpstream(t *testing.T) {
	for name, head := range map[string]bool{"before its head": false, "behind its head": true} {
		t.Run(name, func(t *testing.T) {
			var leaving atomic.Bool
			leaving.Store(true)
			first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				if leaving.Load() {
					if head {
						_ = http.NewResponseController(w).Flush()
					}
					<-r.Context().Done()
					return
				}
				_, _ = io.WriteString(w, `{"id":"x","model":"m","content":[{"type":"text","text":"first"}],"stop_reason":"end_turn"}`)
			}))
			defer first.Close()
			_, second := upstream(t, scripted.Script{{Text: "second"}})
			gw := serve(t, to("anthropic", first.URL, second), gateway.Options{})
			for range 8 {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, gw+"/v1/messages", strings.NewReader(hello))
				if err != nil {
					t.Fatal(err)
				}
				if resp, err := http.DefaultClient.Do(r); err == nil {
					_ = resp.Body.Close()
				}
				cancel()
			}
			leaving.Store(false)
			time.Sleep(50 * time.Millisecond) // the gateway has noticed the last one
			if status, body := post(t, gw, []byte(hello), nil); !strings.Contains(body, "first") {
				t.Errorf("%d %s", status, body)
			}
		})
	}
}

// An upstream whose answers break off is asked no more for a while, though every
// one of them began well; then one request finds out, and not all at once.
func TestAnUpstreamThatBreaksOffRestsAndIsTriedByOne(t *testing.T) {
	each(t, func(t *testing.T, caller, up dialect.Codec, stream bool) {
		if !stream {
			t.Skip("an answer that is not streamed is asked for once more")
		}
		var asked atomic.Int32
		frames := framesOf(t, up, text("word"))
		begun := 1 + slices.IndexFunc(frames, func(f []byte) bool { return bytes.Contains(f, []byte("word")) })
		first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			asked.Add(1)
			w.Header().Set("Content-Type", "text/event-stream")
			for _, f := range frames[:begun] {
				_, _ = w.Write(f)
			}
		}))
		defer first.Close()
		_, second := upstream(t, scripted.Script{{Text: "x"}, {Text: "x"}, {Text: "x"}})
		var skew atomic.Int64
		gw := serve(t, to(up.Name(), first.URL, second), gateway.Options{Now: func() time.Time { return time.Now().Add(time.Duration(skew.Load())) }})
		for range 7 {
			_, _ = ask(t, gw, caller, true)
		}
		if n := asked.Load(); n != 5 {
			t.Errorf("asked %d times", n)
		}
		asked.Store(0)
		skew.Store(int64(11 * time.Second))
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() { _, _ = ask(t, gw, caller, true) })
		}
		wg.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("%d try at once", n)
		}
	})
}
