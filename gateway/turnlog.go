package gateway

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Turn is what is remembered of one request and its answer: nothing that was
// said.
type Turn struct {
	ID     string    `json:"id"`
	Time   time.Time `json:"time"`
	Caller string    `json:"caller"`
	Model  string    `json:"model"`
	Stream bool      `json:"stream"`
	// Attempts are the upstreams that were asked, in order.
	Attempts []Attempt `json:"attempts"`
	// Status is what the caller got; 0 if it went away before.
	Status int    `json:"status"`
	Error  string `json:"error,omitempty"`
	// Losses are what did not come through, of the request and the answer.
	Losses []canon.Loss `json:"losses,omitempty"`
	Usage  *canon.Usage `json:"usage,omitempty"`
	// First is when the first content came, and Duration how long all took, from
	// the request on.
	First    time.Duration `json:"first_ns,omitempty"`
	Duration time.Duration `json:"duration_ns"`
}

// Attempt is one request to an upstream.
type Attempt struct {
	Upstream string `json:"upstream"`
	Dialect  string `json:"dialect"`
	Model    string `json:"model"`
	Status   int    `json:"status,omitempty"`
	Error    string `json:"error,omitempty"`
}

// maxRemembered is how long a text of a turn may be, in bytes: what a model or a
// member is called, and what an error says, is for callers and upstreams to make.
const maxRemembered = 500

// clip shortens the texts of t.
func (t *Turn) clip() {
	texts := []*string{&t.Model, &t.Error}
	for i := range t.Attempts {
		a := &t.Attempts[i]
		texts = append(texts, &a.Model, &a.Error)
	}
	for i := range t.Losses {
		l := &t.Losses[i]
		texts = append(texts, &l.Where, &l.What, &l.Why)
	}
	for _, s := range texts {
		if len(*s) > maxRemembered {
			*s = strings.ToValidUTF8((*s)[:maxRemembered], "") + "…"
		}
	}
}

// keptTurns is how many turns can be looked up.
const keptTurns = 256

// turnLog holds the last turns.
type turnLog struct {
	mu   sync.Mutex
	ring [keptTurns]*Turn
	next int
}

func (l *turnLog) add(t *Turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring[l.next%keptTurns] = t
	l.next++
}

func (l *turnLog) find(id string) *Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.ring {
		if t != nil && t.ID == id {
			return t
		}
	}
	return nil
}

func (s *Server) showTurn(w http.ResponseWriter, r *http.Request) {
	d := s.door(s.config.Load())
	if _, refused := d.enter(r); refused != nil {
		http.Error(w, refused.Message, refused.HTTPStatus())
		return
	}
	t := s.turns.find(r.PathValue("id"))
	if t == nil {
		http.Error(w, "no such turn, or one of long ago", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(t) // the caller is gone if it fails
}

func (s *Server) logTurn(ctx context.Context, t *Turn) {
	level := slog.LevelInfo
	if t.Error != "" {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("turn", t.ID), slog.String("caller", t.Caller), slog.String("model", t.Model), slog.Int("status", t.Status),
		slog.Int("attempts", len(t.Attempts)), slog.Int("losses", len(t.Losses)), slog.Duration("took", t.Duration),
	}
	if n := len(t.Attempts); n > 0 {
		attrs = append(attrs, slog.String("upstream", t.Attempts[n-1].Upstream))
	}
	if t.Usage != nil {
		attrs = append(attrs, slog.Int64("input", t.Usage.Input), slog.Int64("cached", t.Usage.CacheRead), slog.Int64("output", t.Usage.Output))
	}
	if t.Error != "" {
		attrs = append(attrs, slog.String("error", t.Error))
	}
	s.log.LogAttrs(ctx, level, "turn", attrs...)
}
