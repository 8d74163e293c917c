package scripted

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// Options change a [Server]; the zero value is usable.
type Options struct {
	Work        string // what $WORK in the script stands for; default "."
	Record      string // folder for the recorded requests, made if absent; empty means none
	AllRequests bool   // spend a turn on every generating request

	// Seed is part of every minted id; default "cw". Give each server that adds to
	// one session its own. Letters, digits, '_' and '-', at most 32.
	Seed string
	// MaxBody bounds a request body in bytes, before and after decompression;
	// default 64 MiB. A longer one is answered 413.
	MaxBody int64
	// Grace is how long Serve lets answers finish once its context ends; default 2 s.
	Grace time.Duration

	Now   func() time.Time                           // default time.Now
	Sleep func(context.Context, time.Duration) error // default: a timer; returns the context's error
}

func (o *Options) fill() error {
	if o.Work == "" {
		o.Work = "."
	}
	if o.Seed == "" {
		o.Seed = "cw"
	}
	for _, r := range o.Seed {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) || len(o.Seed) > 32 {
			return fmt.Errorf("use seed %q: want up to 32 letters, digits, '_' or '-'", o.Seed)
		}
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 64 << 20
	}
	if o.Grace <= 0 {
		o.Grace = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Server plays a script. It is safe for concurrent use.
type Server struct {
	script Script
	opt    Options
	active gauge

	mu       sync.Mutex
	next     int // index of the next turn
	side     int // answers given besides the script
	number   int // of the last recorded request
	requests []Request
}

// New checks the script and the options. With Options.Record it makes the folder
// and goes on counting after the records that are there.
func New(script Script, opt Options) (*Server, error) {
	if err := opt.fill(); err != nil {
		return nil, err
	}
	s := &Server{script: script.inWork(opt.Work), opt: opt}
	for i := range s.script {
		if err := s.script[i].validate(); err != nil {
			return nil, fmt.Errorf("use turn %d: %w", i, err)
		}
	}
	if opt.Record != "" {
		if err := os.MkdirAll(opt.Record, 0o700); err != nil {
			return nil, fmt.Errorf("make record folder: %w", err)
		}
		last, err := lastRecord(opt.Record)
		if err != nil {
			return nil, err
		}
		s.number = last
	}
	return s, nil
}

// Requests returns what was asked so far, in order of arrival. The bodies are
// shared: do not change them.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Unused is the number of turns not yet spent.
func (s *Server) Unused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script) - s.next
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.active.enter()
	defer s.active.leave()

	rt := routeOf(r)
	rec := s.newRequest(r)
	var asked asked
	var bad *apiError
	if rt.kind != routeRefused {
		body, failure := readBody(r, s.opt.MaxBody)
		rec.Body, bad = body, failure
		if rt.kind == routeGenerate && bad == nil {
			asked, bad = inspect(body, rt)
		}
	}
	spends := rt.kind == routeGenerate && bad == nil
	turn, place := s.take(&rec, spends, asked.tools || s.opt.AllRequests)
	ids := minter{seed: s.opt.Seed, place: place, repeat: turn.fault().RepeatIDs}
	if err := s.save(rec); err != nil {
		bad = &apiError{status: http.StatusInternalServerError, message: err.Error()}
	}
	answer := &reply{turn: turn, asked: asked, route: rt, ids: &ids, created: rec.T.Unix()}
	out := output{w: w, rc: http.NewResponseController(w), ctx: r.Context(), sleep: s.opt.Sleep}
	switch {
	case bad != nil:
		out.fail(answer, *bad)
	case rt.kind == routeGenerate:
		out.answer(answer)
	default:
		out.fixed(answer, r)
	}
}

// take numbers and keeps the request and, if it generates, gives it its turn. The
// place names the answer in minted ids: those of a turn do not depend on how many
// side requests came before it.
func (s *Server) take(rec *Request, generates, wantsTurn bool) (Turn, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	rec.Number = s.number
	defer func() { s.requests = append(s.requests, *rec) }()
	if generates && wantsTurn && s.next < len(s.script) {
		rec.Turn = TurnRef(s.next)
		s.next++
		return s.script[rec.Turn], fmt.Sprintf("t%d", rec.Turn)
	}
	s.side++
	place := fmt.Sprintf("x%d", s.side)
	switch {
	case !generates:
		rec.Turn = NoTurn
		return Turn{}, place
	case wantsTurn:
		rec.Turn = DoneTurn
		return Turn{Text: "done"}, place
	default:
		rec.Turn = SideTurn
		return Turn{Text: "ok"}, place
	}
}

// gauge counts running handlers. A sync.WaitGroup would forbid a late request to
// enter while Serve waits.
type gauge struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed at n == 0 if someone waits
}

func (g *gauge) enter() {
	g.mu.Lock()
	g.n++
	g.mu.Unlock()
}

func (g *gauge) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n--
	if g.n == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

func (g *gauge) wait() {
	g.mu.Lock()
	if g.n == 0 {
		g.mu.Unlock()
		return
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	idle := g.idle
	g.mu.Unlock()
	<-idle
}
