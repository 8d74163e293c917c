package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/gateway"
)

// Many streams at once: every tenth caller goes away within its own, every tenth
// answer is cut off. Each caller has its own answer whole, or an error, and never
// another's; nothing is left running.
func TestManyStreamsAtOnce(t *testing.T) {
	const callers, pieces = 120, 12
	before := runtime.NumGoroutine()
	for _, up := range all.Codecs() {
		var asked atomic.Int32
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, word, _ := strings.Cut(string(body), "word")
			frames := framesOf(t, up, wordsOf("word"+word[:4], pieces)...)
			n, end := asked.Add(1), len(frames)
			if n%10 == 0 {
				end = int(n/10) % end
			}
			w.Header().Set("Content-Type", "text/event-stream")
			for _, f := range frames[:end] {
				_, _ = w.Write(f)
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
			if end < len(frames) {
				panic(http.ErrAbortHandler)
			}
		}))
		s := gateway.New(to(up.Name(), h.URL, h.URL), gateway.Options{Codecs: all.Codecs()})
		gw := httptest.NewServer(s)
		var wg sync.WaitGroup
		var whole atomic.Int32
		for i := range callers {
			wg.Go(func() {
				if streamOf(t, gw.URL, all.Codecs()[i%4], fmt.Sprintf("word%04d", i), pieces, i%10 == 0) {
					whole.Add(1)
				}
			})
		}
		wg.Wait()
		if n := whole.Load(); n < callers/2 {
			t.Errorf("%s: %d of %d answers are whole", up.Name(), n, callers)
		}
		gw.Close()
		s.Close()
		h.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before+3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, where there were %d\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// wordsOf returns texts that tell whose they are.
func wordsOf(word string, n int) (blocks []canon.Block) {
	for range n {
		blocks = append(blocks, text(word+" "))
	}
	return blocks
}

// streamOf asks for a streamed answer and reports whether it came whole.
func streamOf(t *testing.T, url string, c dialect.Codec, word string, pieces int, leaves bool) bool {
	q := &canon.Request{Model: "m", MaxOutput: 100, Stream: true, Messages: []*canon.Message{{Role: canon.User, Blocks: []canon.Block{text(word)}}}}
	body, err := c.EncodeRequest(nil, q, &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Error(err)
		return false
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+path(c.Name(), true), bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return false
	}
	if leaves {
		time.AfterFunc(8*time.Millisecond, cancel)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	a, err := read(c, resp)
	if err != nil {
		return false
	}
	got := strings.ReplaceAll(strings.ReplaceAll(said(a), "\n", ""), word+" ", "")
	if n := strings.Count(said(a), word); n != pieces || got != "" {
		t.Errorf("%s has %d pieces of its answer, and %q of another", word, n, got)
	}
	return true
}
