package agenttest

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
)

var errFault = errors.New("the disk is on fire")

// testFaults lets writing fail in every way, and wants nothing to be left.
func testFaults(t *testing.T, w agent.Writer) {
	for _, at := range []atomicfile.Point{
		atomicfile.AfterTempCreate, atomicfile.AfterFirstWrite, atomicfile.BeforeFsync, atomicfile.AfterFsync,
		atomicfile.BeforeRename, atomicfile.AfterRename, atomicfile.BeforeDirsync,
	} {
		t.Run(string(at), func(t *testing.T) {
			fails(t, w, errFault, func(o *agent.WriteOptions) {
				o.File = append(o.File, atomicfile.Hook(func(p atomicfile.Point) error {
					if p == at {
						return errFault
					}
					return nil
				}))
			})
		})
	}
	t.Run("not confirmed", func(t *testing.T) {
		fails(t, w, errFault, func(o *agent.WriteOptions) {
			o.Confirm = func(written *agent.Written) error {
				if written.Messages != 4 || written.Lines == 0 || written.ID != o.ID || len(written.Links) == 0 {
					t.Errorf("asked to confirm %+v", written)
				}
				return errFault
			}
		})
	})
	t.Run("source fails", func(t *testing.T) {
		s := example()
		failsWith(t, w, s.thread, func(yield func(*canon.Message, error) bool) {
			for m := range stream(s.msgs[:2]) {
				if !yield(m, nil) {
					return
				}
			}
			yield(nil, errFault)
		}, errFault, nil)
	})
	t.Run("nothing said", func(t *testing.T) {
		failsWith(t, w, example().thread, stream(nil), agent.ErrNoConversation, nil)
	})
	t.Run("cancelled", func(t *testing.T) {
		cancelled(t, w, func(_ *canon.Message, cancel func()) { cancel() })
	})
	t.Run("cannot be read back", func(t *testing.T) {
		last := len(example().msgs)
		cancelled(t, w, func(m *canon.Message, cancel func()) {
			if m.Line == last {
				cancel()
			}
		})
	})
	testSystemFaults(t, w)
}

// cancelled writes messages that end the context when at says so.
func cancelled(t *testing.T, w agent.Writer, at func(m *canon.Message, cancel func())) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	home := surroundings(t)
	s := example()
	_, err := w.Write(ctx, s.thread, func(yield func(*canon.Message, error) bool) {
		for m := range stream(s.msgs) {
			if at(m, cancel); !yield(m, nil) {
				return
			}
		}
	}, options(home, new(canon.Report)))
	if !errors.Is(err, context.Canceled) || errors.Is(err, fs.ErrClosed) {
		t.Errorf("error %v", err)
	}
	nothingIn(t, home.Dir)
}

func fails(t *testing.T, w agent.Writer, want error, change func(*agent.WriteOptions)) {
	t.Helper()
	s := example()
	failsWith(t, w, s.thread, stream(s.msgs), want, change)
}

func failsWith(t *testing.T, w agent.Writer, th canon.Thread, msgs canon.Messages, want error, change func(*agent.WriteOptions)) {
	t.Helper()
	home := surroundings(t)
	o := options(home, new(canon.Report))
	if change != nil {
		change(&o)
	}
	if _, err := w.Write(t.Context(), th, msgs, o); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
	nothingIn(t, home.Dir)
}
