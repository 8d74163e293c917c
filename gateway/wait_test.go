package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/gateway"
)

// played is an upstream within the test's own time: it is given the request's
// context and the body to write, and closes it by returning. Before is how long it
// takes to the head of its answer.
type played struct {
	before time.Duration
	typ    string
	body   func(ctx context.Context, w io.Writer) error
	asked  int
}

// RoundTrip implements [http.RoundTripper].
func (p *played) RoundTrip(r *http.Request) (*http.Response, error) {
	p.asked++
	select {
	case <-time.After(p.before):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	in, out := io.Pipe()
	context.AfterFunc(r.Context(), func() { in.CloseWithError(r.Context().Err()) })
	go func() { out.CloseWithError(p.body(r.Context(), out)) }()
	typ := p.typ
	if typ == "" {
		typ = "text/event-stream"
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {typ}}, Body: in}, nil
}

// byHost is several upstreams.
type byHost map[string]*played

// RoundTrip implements [http.RoundTripper].
func (m byHost) RoundTrip(r *http.Request) (*http.Response, error) { return m[r.URL.Host].RoundTrip(r) }

// heard notes when a caller hears what.
type heard struct {
	httptest.ResponseRecorder
	start time.Time
	at    []time.Duration
}

// Write implements [http.ResponseWriter].
func (h *heard) Write(b []byte) (int, error) {
	h.at = append(h.at, time.Since(h.start))
	return h.ResponseRecorder.Write(b)
}

// longest is the longest time in which the caller heard nothing, from a time on to
// the last it heard.
func (h *heard) longest(from time.Duration) (gap time.Duration) {
	last := from
	for _, at := range h.at {
		gap, last = max(gap, at-last), max(at, last)
	}
	return gap
}

// request returns the body of the smallest request.
func request(t *testing.T, c dialect.Codec, stream bool) []byte {
	t.Helper()
	q := &canon.Request{Model: "m", MaxOutput: 100, Stream: stream, Messages: []*canon.Message{{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("Hello.")}}}}}
	body, err := c.EncodeRequest(nil, q, &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// hear asks a gateway as a caller of the dialect, in the test's own time.
func hear(t *testing.T, config *gateway.Config, ups http.RoundTripper, c dialect.Codec, stream bool) *heard {
	t.Helper()
	s := gateway.New(config, gateway.Options{Codecs: all.Codecs()})
	s.SetTransport(ups)
	return hearAt(t, s, path(c.Name(), stream), request(t, c, stream), nil)
}

// hearAt asks a gateway at a path, behind the method if that is not POST, with a
// request that change has changed.
func hearAt(t *testing.T, s *gateway.Server, path string, body []byte, change func(*http.Request)) *heard {
	t.Helper()
	method, rest, ok := strings.Cut(path, " ")
	if !ok {
		method, rest = http.MethodPost, path
	}
	h := &heard{ResponseRecorder: *httptest.NewRecorder(), start: time.Now()}
	r := httptest.NewRequestWithContext(t.Context(), method, rest, bytes.NewReader(body))
	if r.Host = "localhost"; change != nil {
		change(r)
	}
	s.ServeHTTP(h, r)
	return h
}

// framesOf returns the frames of a streamed answer of the dialect, one for each
// piece of text at least.
func framesOf(t *testing.T, c dialect.Codec, blocks ...canon.Block) (frames [][]byte) {
	t.Helper()
	e := c.NewEncoder(dialect.StreamOptions{}, new(canon.Report))
	s := canon.NewSequencer(func(ev *canon.Event) error {
		b, err := e.Encode(nil, ev)
		frames = append(frames, bytes.SplitAfter(b, []byte("\n\n"))...)
		return err
	})
	a := &canon.Response{ID: "r", Model: "m", Blocks: blocks, Stop: canon.Stop{Reason: canon.StopEnd}, Usage: &canon.Usage{Input: 3, Output: 4}}
	for ev := range a.Events() {
		if err := s.Next(ev); err != nil {
			t.Fatal(err)
		}
	}
	return slices.DeleteFunc(frames, func(f []byte) bool { return len(f) == 0 })
}

func text(s string) canon.Block { return &canon.TextBlock{Text: canon.NewText(s)} }

// write writes the frames, and waits before each.
func write(ctx context.Context, w io.Writer, wait time.Duration, frames ...[]byte) error {
	for _, f := range frames {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		if _, err := w.Write(f); err != nil {
			return err
		}
	}
	return nil
}

func eachDialect(t *testing.T, f func(t *testing.T, caller, up dialect.Codec)) {
	for _, caller := range all.Codecs() {
		for _, up := range all.Codecs() {
			t.Run(caller.Name()+" on "+up.Name(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { f(t, caller, up) })
			})
		}
	}
}

// Once the silence is over the caller of a stream hears of the gateway all the
// time, whatever its upstream does.
func TestTheCallerOfAStreamIsNotLeftAlone(t *testing.T) {
	const silence, most = 5 * time.Second, 16 * time.Second
	for name, make := range map[string]func(frames [][]byte) *played{
		"no head": func(frames [][]byte) *played {
			return &played{before: 4 * time.Minute, body: func(ctx context.Context, w io.Writer) error { return write(ctx, w, 0, frames...) }}
		},
		"nothing behind the head": func(frames [][]byte) *played {
			return &played{body: func(ctx context.Context, w io.Writer) error {
				return errors.Join(write(ctx, w, 4*time.Minute, frames[0]), write(ctx, w, 0, frames[1:]...))
			}}
		},
		"comments": func(frames [][]byte) *played {
			return &played{body: func(ctx context.Context, w io.Writer) error {
				comments := slices.Repeat([][]byte{[]byte(": still here\n\n")}, 60)
				return errors.Join(write(ctx, w, 4*time.Second, comments...), write(ctx, w, 0, frames...))
			}}
		},
		"slow frames, of which some say nothing": func(frames [][]byte) *played {
			return &played{body: func(ctx context.Context, w io.Writer) error { return write(ctx, w, 9*time.Second, frames...) }}
		},
		"a part of a frame": func(frames [][]byte) *played {
			return &played{body: func(ctx context.Context, w io.Writer) error {
				n := len(frames[0]) / 2
				return errors.Join(write(ctx, w, 0, frames[0][:n]), write(ctx, w, 4*time.Minute, frames[0][n:]), write(ctx, w, 0, frames[1:]...))
			}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachDialect(t, func(t *testing.T, caller, up dialect.Codec) {
				call := &canon.ToolCallBlock{CallID: "c", Name: "Write", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(`{"a":1}`)}}
				config := to(up.Name(), "http://a")
				config.Silence = silence.String()
				h := hear(t, config, make(framesOf(t, up, text("one"), call)), caller, true)
				if gap := h.longest(silence); gap > most {
					t.Errorf("nothing for %s", gap)
				}
				a, err := read(caller, h.Result())
				if err != nil || said(a) != "one" || len(a.Blocks) != 2 {
					t.Errorf("%v: %v", err, a)
				}
			})
		})
	}
}

// What the upstream has said reaches the caller at once, not when the next of it
// has come.
func TestWhatWasSaidWaitsForNothing(t *testing.T) {
	eachDialect(t, func(t *testing.T, caller, up dialect.Codec) {
		said := framesOf(t, up, text("word"))
		n := slices.IndexFunc(said, func(f []byte) bool { return bytes.Contains(f, []byte("word")) })
		for name, behind := range map[string]string{"nothing": "", "a part of the next": "data: {", "another blank line": "\n"} {
			h := hear(t, to(up.Name(), "http://a"), &played{body: func(ctx context.Context, w io.Writer) error {
				all := append(bytes.Join(said[:n+1], nil), behind...)
				return errors.Join(write(ctx, w, 0, all), write(ctx, w, 2*time.Minute, []byte("\n")))
			}}, caller, true)
			if !strings.Contains(h.Body.String(), "word") || len(h.at) == 0 || h.at[0] != 0 {
				t.Errorf("behind it %s: it came at %v\n%s", name, h.at, h.Body)
			}
		}
	})
}

// An upstream that stalls is given up, wherever it stalls, and another one is asked
// as long as the caller has none of the answer.
func TestAnUpstreamThatStallsIsGivenUp(t *testing.T) {
	stall := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, tt := range map[string]struct {
		make  func(frames [][]byte) *played
		moved bool // to the next upstream
	}{
		"before the head": {func([][]byte) *played { return &played{before: 100 * time.Hour} }, true},
		"behind the head": {func([][]byte) *played {
			return &played{body: func(ctx context.Context, _ io.Writer) error { return stall(ctx) }}
		}, true},
		"within a whole answer": {func([][]byte) *played {
			return &played{typ: "application/json", body: func(ctx context.Context, w io.Writer) error {
				return errors.Join(write(ctx, w, 0, []byte(`{"id":"x",`)), stall(ctx))
			}}
		}, true},
		"within the answer": {func(frames [][]byte) *played {
			return &played{body: func(ctx context.Context, w io.Writer) error {
				return errors.Join(write(ctx, w, 0, frames[:len(frames)-2]...), stall(ctx))
			}}
		}, false},
	} {
		for _, stream := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				eachDialect(t, func(t *testing.T, caller, up dialect.Codec) {
					config := to(up.Name(), "http://a", "http://b")
					second := framesOf(t, up, text("second"))
					h := hear(t, config, byHost{"a": tt.make(framesOf(t, up, text("fir"), text("st"))), "b": {body: func(ctx context.Context, w io.Writer) error {
						return write(ctx, w, 0, second...)
					}}}, caller, stream)
					if took := time.Since(h.start); took > 40*time.Minute {
						t.Errorf("it took %s", took)
					}
					a, err := read(caller, h.Result())
					var api *canon.APIError
					switch moved := tt.moved || !stream; {
					case moved && (err != nil || said(a) != "second"):
						t.Errorf("%v, %v", err, a)
					case !moved && (!errors.As(err, &api) || api.Kind != canon.ErrTimeout):
						t.Errorf("%v, %v", err, a)
					}
				})
			})
		}
	}
}

// A stream may end within an event, without the blank line; an error that follows
// is an event of its own.
func TestAnErrorIsNoPartOfTheEventBeforeIt(t *testing.T) {
	eachDialect(t, func(t *testing.T, caller, up dialect.Codec) {
		frames := framesOf(t, up, text("word"))
		n := slices.IndexFunc(frames, func(f []byte) bool { return bytes.Contains(f, []byte("word")) })
		for _, end := range []string{"", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n"} {
			cut := append(bytes.TrimRight(bytes.Join(frames[:n+1], nil), "\n"), end...)
			h := hear(t, to(up.Name(), "http://a"), &played{body: func(ctx context.Context, w io.Writer) error { return write(ctx, w, 0, cut) }}, caller, true)
			_, err := read(caller, h.Result())
			if api := (*canon.APIError)(nil); !errors.As(err, &api) || !strings.Contains(api.Message, "broke off") {
				t.Errorf("behind %q: %v\n%s", end, err, h.Body)
			}
			for f := range strings.SplitSeq(strings.ReplaceAll(h.Body.String(), "\r", "\n"), "\n\n") {
				if _, data, ok := strings.Cut(f, "data: "); ok && !json.Valid([]byte(strings.TrimSpace(data))) {
					t.Errorf("behind %q an event is %q", end, data)
				}
			}
		}
	})
}

// A caller that takes nothing of its answer, and stays, is given up like one that
// went away.
func TestACallerWhoTakesNothingIsGivenUp(t *testing.T) {
	for _, stream := range []bool{true, false} {
		eachDialect(t, func(t *testing.T, caller, up dialect.Codec) {
			frames := slices.Concat(framesOf(t, up, text("word"), text(strings.Repeat("x", 1<<20))))
			ended := make(chan time.Duration, 1)
			s := gateway.New(to(up.Name(), "http://a"), gateway.Options{Codecs: all.Codecs()})
			s.SetTransport(&played{body: func(ctx context.Context, w io.Writer) error { return write(ctx, w, 0, frames...) }})
			here, there := net.Pipe()
			start := time.Now()
			server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.ServeHTTP(w, r)
				ended <- time.Since(start)
			})}
			done := make(chan error, 1)
			go func() { done <- server.Serve(&oneConn{conn: there, closed: make(chan struct{})}) }()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+path(caller.Name(), stream), bytes.NewReader(request(t, caller, stream)))
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Write(here); err != nil {
				t.Fatal(err)
			}
			if took := <-ended; took > 10*time.Minute {
				t.Errorf("it took %s", took)
			}
			if err := errors.Join(here.Close(), server.Close()); err != nil {
				t.Error(err)
			}
			if err := <-done; !errors.Is(err, http.ErrServerClosed) {
				t.Error(err)
			}
		})
	}
}

// oneConn is a listener of one connection.
type oneConn struct {
	conn   net.Conn
	closed chan struct{}
}

// Accept implements [net.Listener].
func (l *oneConn) Accept() (net.Conn, error) {
	if c := l.conn; c != nil {
		l.conn = nil
		return c, nil
	}
	<-l.closed
	return nil, net.ErrClosed
}

// Close implements [net.Listener].
func (l *oneConn) Close() error {
	close(l.closed)
	return nil
}

// Addr implements [net.Listener].
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// An upstream may name any time to wait, and what its caller is told is no more
// than a week.
func TestAnyRetryAfterIsTaken(t *testing.T) {
	for value, want := range map[string]string{
		"": "", "0": "", "-5": "", "NaN": "", "words": "", "1": "1", "0.2": "1", "1e300": "604800", "Inf": "604800", "99999999999": "604800",
		"Fri, 31 Dec 9999 23:59:59 GMT": "604800", "Mon, 01 Jan 2001 00:00:00 GMT": "",
	} {
		s := gateway.New(to("anthropic", "http://a"), gateway.Options{Codecs: all.Codecs(), Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
		s.SetTransport(refusing{"Retry-After": value})
		if h := hearAt(t, s, "/v1/messages", []byte(hello), nil); h.Code != http.StatusTooManyRequests || h.Header().Get("Retry-After") != want {
			t.Errorf("%q: %d, Retry-After %q", value, h.Code, h.Header().Get("Retry-After"))
		}
	}
}

// refusing is an upstream that is always busy, with headers.
type refusing map[string]string

// RoundTrip implements [http.RoundTripper].
func (m refusing) RoundTrip(*http.Request) (*http.Response, error) {
	h := make(http.Header)
	for name, value := range m {
		h.Set(name, value)
	}
	return &http.Response{StatusCode: http.StatusTooManyRequests, Header: h, Body: http.NoBody}, nil
}

// A caller may go away at any moment: the upstream's request ends, no other is
// made, nothing is left, and the turn says so.
func TestACallerMayLeaveAtAnyMoment(t *testing.T) {
	stay := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, make := range map[string]func(frames [][]byte) http.RoundTripper{
		"before the head": func([][]byte) http.RoundTripper { return &played{before: time.Hour} },
		"behind the head": func([][]byte) http.RoundTripper {
			return &played{body: func(ctx context.Context, _ io.Writer) error { return stay(ctx) }}
		},
		"within the answer": func(frames [][]byte) http.RoundTripper {
			return &played{body: func(ctx context.Context, w io.Writer) error {
				return errors.Join(write(ctx, w, 0, frames[:len(frames)-1]...), stay(ctx))
			}}
		},
		"within a whole answer": func([][]byte) http.RoundTripper {
			return &played{typ: "application/json", body: func(ctx context.Context, w io.Writer) error {
				return errors.Join(write(ctx, w, 0, []byte("{")), stay(ctx))
			}}
		},
		"between two tries": func([][]byte) http.RoundTripper { return refusing{"Retry-After": "4.5"} },
	} {
		for _, stream := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				eachDialect(t, func(t *testing.T, caller, up dialect.Codec) {
					tries := 0
					ups := make(framesOf(t, up, text("word")))
					s := gateway.New(to(up.Name(), "http://a", "http://b"), gateway.Options{Codecs: all.Codecs()})
					s.SetTransport(transport(func(r *http.Request) (*http.Response, error) {
						tries++
						return ups.RoundTrip(r)
					}))
					ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
					defer cancel()
					h := hearAt(t, s, path(caller.Name(), stream), request(t, caller, stream), func(r *http.Request) { *r = *r.WithContext(ctx) })
					if took := time.Since(h.start); took > 4*time.Second || tries != 1 {
						t.Errorf("it ends after %s and %d tries", took, tries)
					}
					if strings.Contains(h.Body.String(), "broke off") {
						t.Errorf("the caller who left hears %s", h.Body)
					}
				})
			})
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
