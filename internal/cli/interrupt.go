package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// interrupts ends the running command when the person interrupts it, so that
// nothing half-done is left; the second time ends the program at once. While
// another program has the terminal, Ctrl-C is for that one.
type interrupts struct {
	signals chan os.Signal
	done    chan struct{}
	lent    atomic.Bool
}

// watchInterrupts returns a context that ends with the first interrupt. stop
// must be called.
func watchInterrupts(ctx context.Context) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(ctx)
	i := &interrupts{signals: make(chan os.Signal, 1), done: make(chan struct{})}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer close(i.done)
		defer cancel()
		for s := range i.signals {
			if s == os.Interrupt && i.lent.Load() {
				continue
			}
			signal.Stop(i.signals)
			cancel()
		}
	}()
	return ctx, i
}

func (i *interrupts) stop() {
	signal.Stop(i.signals)
	close(i.signals)
	<-i.done
}

// lend leaves Ctrl-C to another program on the terminal until it is given back.
func (i *interrupts) lend() (back func()) {
	if i == nil {
		return func() {}
	}
	i.lent.Store(true)
	return func() { i.lent.Store(false) }
}
