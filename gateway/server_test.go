package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/gateway"
	"github.com/crosswalk-agents/crosswalk/internal/scripted"
)

// upstream serves a script in all four dialects.
func upstream(t *testing.T, script scripted.Script) (*scripted.Server, string) {
	t.Helper()
	s, err := scripted.New(script, scripted.Options{AllRequests: true})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return s, h.URL
}

// bases are what the dialects' paths are below.
var bases = map[string]string{"anthropic": "", "chat": "/v1", "responses": "/v1", "gemini": ""}

// serve runs a gateway for the configuration.
func serve(t *testing.T, c *gateway.Config, o gateway.Options) string {
	t.Helper()
	o.Codecs = all.Codecs()
	o.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	s := gateway.New(c, o)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.Close()
		s.Close()
	})
	return h.URL
}

// to is a configuration that sends all models to upstreams of the dialect, one
// after another.
func to(name string, urls ...string) *gateway.Config {
	c := &gateway.Config{Upstreams: make(map[string]*gateway.Upstream), Models: map[string]*gateway.Route{"*": {}}, Silence: "5s"}
	for i, u := range urls {
		key := string(rune('a' + i))
		c.Upstreams[key] = &gateway.Upstream{Name: key, Dialect: name, BaseURL: u + bases[name], Key: "upstream-key"}
		c.Models["*"].Try = append(c.Models["*"].Try, gateway.Target{Upstream: key, Model: "upstream-model"})
	}
	return c
}

// paths are where callers of a dialect send requests.
func path(name string, stream bool) string {
	switch name {
	case "anthropic":
		return "/v1/messages?beta=true"
	case "chat":
		return "/v1/chat/completions"
	case "responses":
		return "/v1/responses"
	}
	if stream {
		return "/v1beta/models/caller-model:streamGenerateContent?alt=sse"
	}
	return "/v1beta/models/caller-model:generateContent"
}

// ask sends a request as a caller of the dialect and reads the answer.
func ask(t *testing.T, url string, c dialect.Codec, stream bool) (*canon.Response, error) {
	t.Helper()
	q := &canon.Request{Model: "caller-model", MaxOutput: 100, Stream: stream, Messages: []*canon.Message{{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("Hello.")}}}}}
	body, err := c.EncodeRequest(nil, q, &dialect.Target{}, new(canon.Report))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url+path(c.Name(), stream), "application/json", bytes.NewReader(body)) //nolint:noctx // the test's server is gone with it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return read(c, resp)
}

// read reads an answer of either form.
func read(c dialect.Codec, resp *http.Response) (*canon.Response, error) {
	if resp.StatusCode != http.StatusOK {
		b, err := io.ReadAll(resp.Body)
		return nil, errors.Join(err, c.DecodeError(resp.StatusCode, b))
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return dialecttest.Read(c, resp.Body)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	return c.DecodeResponse(b, new(canon.Report))
}

func each(t *testing.T, f func(t *testing.T, caller, upstream dialect.Codec, stream bool)) {
	for _, caller := range all.Codecs() {
		for _, up := range all.Codecs() {
			for _, stream := range []bool{false, true} {
				name := caller.Name() + " on " + up.Name()
				if stream {
					name += ", streamed"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					f(t, caller, up, stream)
				})
			}
		}
	}
}

func TestEveryCallerHasEveryUpstream(t *testing.T) {
	each(t, func(t *testing.T, caller, up dialect.Codec, stream bool) {
		s, url := upstream(t, scripted.Script{{Text: "I look.", Tools: []scripted.Tool{{Name: "Read", Args: []byte(`{"file_path":"a"}`)}, {Name: "Bash", Args: []byte(`{"command":"ls"}`)}}}})
		a, err := ask(t, serve(t, to(up.Name(), url), gateway.Options{}), caller, stream)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range a.Blocks {
			switch b := b.(type) {
			case *canon.TextBlock:
				got = append(got, b.Text.String())
			case *canon.ToolCallBlock:
				got = append(got, b.Name+string(b.Input.JSON))
			}
		}
		if diff := cmp.Diff([]string{"I look.", `Read{"file_path":"a"}`, `Bash{"command":"ls"}`}, got); diff != "" || a.Stop.Reason != canon.StopToolCall {
			t.Errorf("stop %s\n%s", a.Stop.Reason, diff)
		}
		if a.Usage == nil || a.Usage.Input != 11 || a.Usage.Output != 7 {
			t.Errorf("usage %+v", a.Usage)
		}
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

// What an upstream does wrong, and whether the caller still gets the answer.
func TestUpstreamsThatMisbehave(t *testing.T) {
	frame := func(n int) *int { return &n }
	good := scripted.Turn{Text: "All is well."}
	for name, tt := range map[string]struct {
		script scripted.Script
		want   string // the text, or a part of the error
	}{
		"429 once":                     {scripted.Script{{Status: 429}, good}, "All is well."},
		"429 with retry-after":         {scripted.Script{{Status: 429, Headers: map[string]string{"Retry-After": "1"}}, good}, "All is well."},
		"429 for longer than there is": {scripted.Script{{Status: 429, Headers: map[string]string{"Retry-After": "60"}}, good}, "rate limit"},
		"503 once":                     {scripted.Script{{Status: 503}, good}, "All is well."},
		"529 once":                     {scripted.Script{{Status: 529}, good}, "All is well."},
		"529 for ever":                 {scripted.Script{{Status: 529}, {Status: 529}, {Status: 529}, {Status: 529}}, "overloaded"},
		"an overload within 200":       {scripted.Script{{Text: "x", Fault: &scripted.Fault{OverloadInStream: true}}, good}, "All is well."},
		"400":                          {scripted.Script{{Status: 400}, good}, "invalid request"},
		"401":                          {scripted.Script{{Status: 401}, good}, "authentication failed"},
		"cut before it begins":         {scripted.Script{{Text: "x", Fault: &scripted.Fault{CutAfterFrames: frame(0)}}, good}, "All is well."},
		"a frame that is no JSON at the beginning": {scripted.Script{{Text: "x", Fault: &scripted.Fault{GarbageFrameAt: frame(0)}}, good}, "All is well."},
		"CR LF":                {scripted.Script{{Text: "All is well.", Fault: &scripted.Fault{CRLF: true}}}, "All is well."},
		"empty deltas":         {scripted.Script{{Text: "All is well.", Fault: &scripted.Fault{EmptyDeltas: true}}}, "All is well."},
		"byte by byte":         {scripted.Script{{Text: "All is well.", Fault: &scripted.Fault{Drip: true}}}, "All is well."},
		"a line of a megabyte": {scripted.Script{{Text: "All is well.", Fault: &scripted.Fault{HugeLine: 1 << 20}}}, "All is well."},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, caller, up dialect.Codec, stream bool) {
				_, url := upstream(t, tt.script)
				a, err := ask(t, serve(t, to(up.Name(), url), gateway.Options{}), caller, stream)
				got := ""
				if err != nil {
					got = err.Error()
				} else {
					got = said(a)
				}
				if !strings.Contains(got, tt.want) || err == nil && got != tt.want {
					t.Errorf("%q, want %q", got, tt.want)
				}
			})
		})
	}
}

// A stream that is cut within the answer ends in an error. What another upstream
// says is never mixed with it.
func TestAnAnswerThatBreaksOffEndsInAnError(t *testing.T) {
	each(t, func(t *testing.T, caller, up dialect.Codec, stream bool) {
		if !stream {
			t.Skip("an answer that is not streamed is asked for once more")
		}
		broken := 0
		for n := 1; n < 16; n++ {
			_, url := upstream(t, scripted.Script{{Text: "a long answer", Chunks: 6, Fault: &scripted.Fault{CutAfterFrames: &n}}, {Text: "another one"}})
			a, err := ask(t, serve(t, to(up.Name(), url), gateway.Options{}), caller, stream)
			if err != nil {
				broken++
				continue
			}
			if got := said(a); got != "a long answer" && got != "another one" {
				t.Errorf("cut behind %d frames the answer is %q", n, got)
			}
		}
		if broken < 4 {
			t.Errorf("%d of 15 end in an error", broken)
		}
	})
}

// said returns the text of an answer.
func said(a *canon.Response) (text string) {
	for _, b := range a.Blocks {
		if b, ok := b.(*canon.TextBlock); ok {
			text += b.Text.String()
		}
	}
	return text
}

func TestTheNextUpstreamIsAsked(t *testing.T) {
	each(t, func(t *testing.T, caller, up dialect.Codec, stream bool) {
		_, dead := upstream(t, scripted.Script{{Status: 529}, {Status: 529}, {Status: 529}})
		_, good := upstream(t, scripted.Script{{Text: "from the second"}})
		a, err := ask(t, serve(t, to(up.Name(), "http://127.0.0.1:1", dead, good), gateway.Options{}), caller, stream)
		if err != nil || len(a.Blocks) != 1 || a.Blocks[0].(*canon.TextBlock).Text.String() != "from the second" {
			t.Errorf("%v, %v", a, err)
		}
	})
}

// gateway K3: a caller that goes away takes the upstream's request with it.
func TestTheUpstreamEndsWithItsCaller(t *testing.T) {
	for _, c := range all.Codecs() {
		t.Run("gateway K3, "+c.Name(), func(t *testing.T) {
			here, gone := make(chan struct{}), make(chan struct{})
			up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				close(here)
				<-r.Context().Done()
				close(gone)
			}))
			defer up.Close()
			config := to(c.Name(), up.URL)
			config.Silence = "1ms"
			gw := serve(t, config, gateway.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			body, err := c.EncodeRequest(nil, &canon.Request{Model: "m", Stream: true, Messages: []*canon.Message{{Role: canon.User, Blocks: []canon.Block{&canon.TextBlock{Text: canon.NewText("x")}}}}}, &dialect.Target{}, new(canon.Report))
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, gw+path(c.Name(), true), bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			<-here // the caller may hear of the gateway before
			cancel()
			_ = resp.Body.Close()
			select {
			case <-gone:
			case <-time.After(10 * time.Second):
				t.Error("the upstream's request goes on")
			}
		})
	}
}

// An answer beyond all bounds is the upstream's fault, not the caller's.
func TestAnAnswerWithoutEndIsTheUpstreamsFault(t *testing.T) {
	spaces := bytes.Repeat([]byte{' '}, 1<<20)
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range 65 {
			_, _ = w.Write(spaces) // the gateway leaves before the end
		}
	}))
	defer up.Close()
	status, text := post(t, serve(t, to("anthropic", up.URL), gateway.Options{}), []byte(hello), nil)
	if status != http.StatusBadGateway || !strings.Contains(text, "the upstream's answer is too long") {
		t.Errorf("%d %s", status, text)
	}
}
