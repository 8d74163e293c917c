package gateway

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// Options are what a server needs beside its configuration.
type Options struct {
	// Codecs are those of the dialects that callers and upstreams speak.
	Codecs []dialect.Codec
	// Keys are what callers have to show; nil lets everybody in, and an empty list
	// nobody.
	Keys []string
	// Log gets a line for each turn, without what it says; nil logs nothing.
	Log *slog.Logger
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
	// Sleep waits between two tries, or returns the context's error; nil waits by
	// the real clock.
	Sleep func(context.Context, time.Duration) error
}

// Server is the gateway. It is an [http.Handler], safe for concurrent use.
type Server struct {
	codecs   map[string]dialect.Codec
	keys     [][]byte
	open     bool // there are no keys to show
	log      *slog.Logger
	now      func() time.Time
	sleep    func(context.Context, time.Duration) error
	client   *http.Client
	config   atomic.Pointer[Config]
	turns    turnLog
	breakers breakers
	mux      *http.ServeMux
}

// New returns a server for the configuration.
func New(c *Config, o Options) *Server {
	s := &Server{codecs: make(map[string]dialect.Codec), open: o.Keys == nil, log: o.Log, now: o.Now, sleep: o.Sleep, client: newClient(), mux: http.NewServeMux()}
	for _, codec := range o.Codecs {
		s.codecs[codec.Name()] = codec
	}
	for _, k := range o.Keys {
		if k != "" { // which everybody would show
			s.keys = append(s.keys, []byte(k))
		}
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.sleep == nil {
		s.sleep = sleep
	}
	s.breakers.now = s.now
	s.Reload(c)
	s.routes()
	return s
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

// newClient returns a client for upstreams: nothing is decompressed, and no
// redirect is followed, which would carry a credential elsewhere.
func newClient() *http.Client {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		MaxIdleConns:        256,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression:  true,
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Reload makes s use another configuration for the turns that begin from now on.
func (s *Server) Reload(c *Config) {
	if c.silence = DefaultSilence; c.Silence != "" {
		c.silence, _ = time.ParseDuration(c.Silence) // Load has seen to it
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	s.config.Store(c)
}

// Close gives up the connections that are idle.
func (s *Server) Close() { s.client.CloseIdleConnections() }

func (s *Server) routes() {
	serve := func(name string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, name, call{}) }
	}
	s.mux.HandleFunc("POST /v1/messages", serve("anthropic"))
	s.mux.HandleFunc("POST /v1/chat/completions", serve("chat"))
	s.mux.HandleFunc("POST /v1/responses", serve("responses"))
	// Every client that was recorded falls back to HTTP at once. (RFC 9110, 15.5.22.)
	s.mux.HandleFunc("GET /v1/responses", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Upgrade", "HTTP/1.1")
		w.WriteHeader(http.StatusUpgradeRequired)
	})
	for _, version := range []string{"/v1beta", "/v1"} {
		s.mux.HandleFunc("POST "+version+"/models/{call...}", s.callModel)
	}
	s.mux.HandleFunc("GET /v1/crosswalk/turns/{id}", s.showTurn)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
}

// callModel answers a request whose path names the model, in which there may be
// slashes and colons, and behind the last colon the method.
func (s *Server) callModel(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("call")
	i := max(strings.LastIndexByte(name, ':'), 0)
	o := call{model: name[:i]}
	switch method := name[i:]; method {
	case ":generateContent":
	case ":streamGenerateContent":
		o.list = r.URL.Query().Get("alt") != "sse"
		o.stream = !o.list
	default:
		s.refuse(w, "gemini", refuse(http.StatusNotFound, "there is no method "+strconv.Quote(strings.TrimPrefix(method, ":"))))
		return
	}
	s.serve(w, r, "gemini", o)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// door returns the one that requests come in by.
func (s *Server) door(c *Config) door {
	return door{keys: s.keys, open: s.open, hosts: c.AllowedHosts, origins: c.AllowedOrigins}
}

// serve answers one request of a model.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, name string, o call) {
	c := s.config.Load()
	d := s.door(c)
	v, refused := d.enter(r)
	if refused != nil {
		s.refuse(w, name, refused)
		return
	}
	codec, ok := s.codecs[name]
	if !ok {
		s.refuse(w, name, refuse(http.StatusNotFound, "this gateway does not speak the "+name+" dialect"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	t := &turn{
		s: s, config: c, ctx: ctx, cancel: cancel, w: w, r: r, caller: codec, call: o, visitor: v,
		record: &Turn{ID: newTurnID(), Time: s.now(), Caller: name},
	}
	t.serve()
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // the connection may live on
	t.record.Duration = s.now().Sub(t.record.Time)
	t.record.clip()
	s.turns.add(t.record)
	s.logTurn(r.Context(), t.record)
}

// refuse answers with an error before a turn has begun.
func (s *Server) refuse(w http.ResponseWriter, name string, e *canon.APIError) {
	if codec, ok := s.codecs[name]; ok {
		writeError(w, codec, e, false)
		return
	}
	http.Error(w, e.Message, e.HTTPStatus())
}

func newTurnID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
