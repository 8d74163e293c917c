package gateway

import (
	"sync"
	"time"
)

const (
	// tripsAfter is how many failures in a row open a breaker, and openFor how long
	// it stays open before one request tries again.
	tripsAfter = 5
	openFor    = 10 * time.Second
)

// breakers keep requests from an upstream that does not answer, where there is
// another one to try.
type breakers struct {
	now func() time.Time
	mu  sync.Mutex
	of  map[string]*breaker
}

type breaker struct {
	failures int
	until    time.Time
}

// allows reports whether the upstream is worth a try.
func (b *breakers) allows(upstream string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.of[upstream]
	if x == nil || x.failures < tripsAfter {
		return true
	}
	if b.now().Before(x.until) {
		return false
	}
	x.until = b.now().Add(openFor) // one tries, the others wait for what it finds
	return true
}

// note takes in how an attempt went.
func (b *breakers) note(upstream string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ok {
		delete(b.of, upstream)
		return
	}
	if b.of == nil {
		b.of = make(map[string]*breaker)
	}
	x := b.of[upstream]
	if x == nil {
		x = new(breaker)
		b.of[upstream] = x
	}
	if x.failures++; x.failures >= tripsAfter {
		x.until = b.now().Add(openFor)
	}
}
