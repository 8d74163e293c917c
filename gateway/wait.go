package gateway

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

const (
	// idle is how long an upstream may say nothing, and a caller take nothing.
	idle = 5 * time.Minute
	// idleWhole is how long an upstream may take to begin an answer that is not
	// streamed: models write for as long before anything of it comes.
	idleWhole = 30 * time.Minute
	// pingEvery is how often the caller of a stream hears that there still is
	// somebody, while it hears nothing else.
	pingEvery = 10 * time.Second
	// restOfStream is how long an upstream may take to close a stream whose end it
	// has sent.
	restOfStream = time.Second
)

// silent is the error for an upstream that says nothing.
func silent() *canon.APIError {
	return &canon.APIError{Status: http.StatusGatewayTimeout, Kind: canon.ErrTimeout, Message: "the upstream says nothing any more"}
}

// vigil is a turn's waiting for its upstream. It opens the stream when the silence
// is over, and keeps the caller company from then on.
type vigil struct {
	t       *turn
	silence *time.Timer
	tick    *time.Ticker
	heard   time.Time // when the upstream last said something
}

func (t *turn) watch() *vigil {
	now := t.s.now()
	v := &vigil{t: t, silence: time.NewTimer(max(t.config.silence-now.Sub(t.record.Time), 0)), tick: time.NewTicker(pingEvery / 2), heard: now}
	if t.began || !t.stream {
		v.silence.Stop()
	}
	return v
}

func (v *vigil) stop() {
	v.silence.Stop()
	v.tick.Stop()
}

// over ends the silence, and reports whether the caller is still there.
func (v *vigil) over() bool {
	if v.t.began {
		return true
	}
	v.t.open()
	return v.t.send(sse.AppendComment(nil))
}

// quiet is how long the upstream has said nothing.
func (v *vigil) quiet() time.Duration { return v.t.s.now().Sub(v.heard) }

// company tells the caller of an open stream that there is somebody, if it has
// heard nothing for long, whatever the upstream says meanwhile. It reports whether
// the caller is still there.
func (v *vigil) company() bool {
	if !v.t.began || v.t.s.now().Sub(v.t.spoke) < pingEvery {
		return true
	}
	return v.t.send(sse.AppendComment(nil))
}

// reply is what became of a request.
type reply struct {
	resp *http.Response
	err  error
}

// do sends a request and waits for the head of its answer. cancel cancels the
// request.
func (t *turn) do(req *http.Request, cancel context.CancelFunc) (*http.Response, error) {
	got := make(chan reply, 1)
	go func() {
		resp, err := t.s.client.Do(req) //nolint:bodyclose // who takes the reply closes it
		got <- reply{resp, err}
	}()
	limit := idle
	if !t.stream {
		limit = idleWhole
	}
	err, v := error(nil), t.watch()
	defer v.stop()
	for err == nil {
		select {
		case r := <-got:
			return r.resp, r.err
		case <-v.silence.C:
			if !v.over() {
				err = context.Canceled
			}
		case <-v.tick.C:
			switch {
			case v.quiet() > limit:
				err = silent()
			case !v.company():
				err = context.Canceled
			}
		}
	}
	cancel()
	if r := <-got; r.err == nil {
		_ = r.resp.Body.Close()
	}
	return nil, err
}

// patient reads an answer for as long as it goes on.
type patient struct {
	r     io.Reader
	timer *time.Timer
	late  atomic.Bool
}

// newPatient returns a reader of r that cancels the request after a silence. It has
// to be stopped.
func newPatient(r io.Reader, cancel context.CancelFunc) *patient {
	p := &patient{r: r}
	p.timer = time.AfterFunc(idle, func() {
		p.late.Store(true)
		cancel()
	})
	return p
}

// Read implements [io.Reader].
func (p *patient) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && p.late.Load() {
		return n, silent()
	}
	p.timer.Reset(idle)
	return n, err
}

func (p *patient) stop() { p.timer.Stop() }
