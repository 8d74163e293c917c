package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

const (
	// maxFrame bounds one event of a stream, and maxAnswer one that is not
	// streamed, in bytes.
	maxFrame  = 32 << 20
	maxAnswer = 64 << 20
)

// exchange is an upstream's answer on its way to the caller.
type exchange struct {
	turn     *turn
	of       *Upstream
	upstream dialect.Codec
	flat     *dialect.Flat
	same     bool
	cancel   context.CancelFunc

	out     []byte // what is to be written next
	content bool   // the model has said something
	failed  *canon.APIError
	over    bool
	said    bool // the upstream has itself told the caller what failed
	torn    bool // the last event of the upstream has no end, as the stream had
}

// relay gives the caller the answer. It returns an error if there is none and
// the caller has got nothing of it.
func (x *exchange) relay(resp *http.Response) *canon.APIError {
	typ, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	streamed := typ == "text/event-stream" || typ == "" && x.turn.stream
	if streamed && x.turn.stream {
		return x.stream(resp.Body)
	}
	body := newPatient(resp.Body, x.cancel)
	defer body.stop()
	switch {
	case streamed:
		return x.fold(body)
	case x.turn.stream:
		return x.play(body)
	}
	return x.whole(body)
}

func broken(what string) *canon.APIError {
	return &canon.APIError{Status: http.StatusBadGateway, Kind: canon.ErrInternal, Message: what}
}

func tooLong() *canon.APIError { return broken("the upstream's answer is too long") }

// read reads a whole answer.
func (x *exchange) read(body io.Reader) ([]byte, *canon.Response, *canon.APIError) {
	b, err := readAll(body, maxAnswer, 0)
	if errors.Is(err, errTooLong) {
		return nil, nil, tooLong()
	} else if err != nil {
		return nil, nil, apiFailure(err)
	}
	a, err := x.upstream.DecodeResponse(b, &x.turn.report)
	if err != nil {
		return nil, nil, apiFailure(err)
	}
	return b, a, nil
}

// whole gives an answer that is not streamed to a caller who wants it so.
func (x *exchange) whole(body io.Reader) *canon.APIError {
	b, a, failed := x.read(body)
	if failed != nil {
		return failed
	}
	x.turn.record.Usage = a.Usage
	if x.same {
		return x.answer(b)
	}
	return x.encode(a)
}

// fold gives a streamed answer to a caller who wants it whole.
func (x *exchange) fold(body io.Reader) *canon.APIError {
	var f canon.Folder
	s := canon.NewSequencer(f.Add)
	d := x.upstream.NewDecoder(&x.turn.report)
	frames := sse.NewReader(body, maxFrame)
	for !s.Over() {
		frame, err := frames.Next()
		if errors.Is(err, io.EOF) {
			if err = d.Close(s.Next); err == nil {
				err = s.Finish(nil)
			}
		} else if err == nil && !frame.Comment {
			err = d.Frame(frame, s.Next)
		}
		if err != nil {
			return apiFailure(err)
		}
		if f.Size() > maxAnswer {
			return tooLong()
		}
	}
	a, err := f.Response()
	if err != nil {
		return apiFailure(err)
	}
	x.turn.record.Usage = a.Usage
	return x.encode(a)
}

// apiFailure returns err as an error of an API: what the upstream says of itself,
// which may be hidden in an answer that pretends to be good, or that it cannot be
// read.
func apiFailure(err error) *canon.APIError {
	var api *canon.APIError
	if errors.As(err, &api) {
		return api
	}
	return broken("the upstream's answer cannot be read: " + err.Error())
}

func (x *exchange) encode(a *canon.Response) *canon.APIError {
	x.flat.Response(a)
	b, err := x.turn.caller.EncodeResponse(nil, a, &x.turn.report)
	if err != nil {
		return broken(err.Error())
	}
	return x.answer(b)
}

// answer writes a whole answer. One that is asked for as a list is its only
// element: it comes when it is whole.
func (x *exchange) answer(b []byte) *canon.APIError {
	t := x.turn
	if t.call.list {
		b = listed(b)
	}
	t.header()
	t.w.Header().Set("Content-Type", "application/json")
	t.began, t.content = true, true
	t.record.Status = http.StatusOK
	t.record.First = t.s.now().Sub(t.record.Time)
	_ = http.NewResponseController(t.w).SetWriteDeadline(time.Now().Add(idle)) // not every server has one
	if _, err := t.w.Write(b); err != nil {
		t.leave()
	}
	return nil
}

// play gives a whole answer to a caller who wants it streamed.
func (x *exchange) play(body io.Reader) *canon.APIError {
	_, a, failed := x.read(body)
	if failed != nil {
		return failed
	}
	s := canon.NewSequencer(x.flat.Events(x.encoder()))
	for e := range a.Events() {
		if err := s.Next(e); err != nil {
			return broken(err.Error())
		}
	}
	x.write(true)
	return nil
}

// encoder returns what writes events for the caller, and notes what they mean.
func (x *exchange) encoder() func(*canon.Event) error {
	enc := x.turn.caller.NewEncoder(dialect.StreamOptions{Usage: x.turn.usage}, &x.turn.report)
	return func(e *canon.Event) (err error) {
		if x.note(e); x.failed != nil && !x.turn.content && !x.content {
			return nil // another upstream may be asked
		}
		x.out, err = enc.Encode(x.out, e)
		return err
	}
}

// note takes in what an event means for the turn.
func (x *exchange) note(e *canon.Event) {
	switch e.Kind {
	case canon.EventBlock:
		x.content = true
	case canon.EventEnd:
		x.over, x.content = true, true
		x.turn.record.Usage = e.Response.Usage
	case canon.EventError:
		x.turn.mask(x.of, e.Err)
		x.over, x.failed = true, e.Err
	case canon.EventStart, canon.EventDelta, canon.EventBlockEnd, canon.EventPing:
	}
}

// incoming is what the reader of the upstream has read.
type incoming struct {
	frame *sse.Event
	err   error
	more  bool // the next one is there already
}

// stream gives a streamed answer to the caller as it comes.
func (x *exchange) stream(body io.Reader) *canon.APIError {
	frames, next := make(chan incoming), make(chan struct{})
	done := make(chan struct{})
	defer func() { // also if a codec panics
		x.cancel() // so that the reader ends
		close(next)
		<-done
	}()
	go func() {
		defer close(done)
		r := sse.NewReader(body, maxFrame)
		for {
			f, err := r.Next()
			select {
			case frames <- incoming{f, err, r.Ready()}:
			case <-next:
				return
			}
			if err != nil {
				return
			}
			if _, ok := <-next; !ok { // the frame's memory is free again
				return
			}
		}
	}()
	return x.pump(frames, next)
}

// sequencer returns what takes the upstream's events: in the caller's own dialect
// they only tell what the frames mean that pass.
func (x *exchange) sequencer() *canon.Sequencer {
	if x.same {
		return canon.NewSequencer(func(e *canon.Event) error { x.note(e); return nil })
	}
	return canon.NewSequencer(x.flat.Events(x.encoder()))
}

// pump passes on what the reader reads until the answer is over.
func (x *exchange) pump(frames <-chan incoming, next chan<- struct{}) *canon.APIError {
	t := x.turn
	d, seq, v := x.upstream.NewDecoder(&t.report), x.sequencer(), t.watch()
	defer v.stop()
	var rest <-chan time.Time // what may follow the end is waited for no longer
	for {
		select {
		case in := <-frames:
			v.heard = t.s.now()
			if ended := x.take(in, d, seq); ended {
				return x.finish()
			}
			if x.over && rest == nil {
				rest = time.After(restOfStream)
			}
			if x.content && !in.more && !x.write(false) {
				return nil
			}
			if in.err == nil {
				next <- struct{}{}
			}
		case <-rest:
			return x.finish()
		case <-v.silence.C:
			if !v.over() {
				return nil
			}
		case <-v.tick.C:
			if v.quiet() > idle {
				_ = seq.Finish(silent())
				return x.finish()
			}
			if !v.company() {
				return nil
			}
		case <-t.ctx.Done():
			if !x.over { // else it has all, and closed before the upstream did
				t.leave()
			}
			return nil
		}
	}
}

// take handles a frame, or the end of the stream. ended says that nothing more
// is to be read.
func (x *exchange) take(in incoming, d dialect.Decoder, seq *canon.Sequencer) (ended bool) {
	var err error
	switch {
	case errors.Is(in.err, io.EOF):
		err = errors.Join(d.Close(seq.Next), seq.Finish(nil))
	case in.err != nil:
		err = seq.Finish(in.err)
	case !in.frame.Comment:
		if err = d.Frame(in.frame, seq.Next); err != nil {
			err = seq.Finish(err)
			break
		}
		x.said = x.failed != nil
		fallthrough
	default:
		if x.same {
			x.out = append(x.out, in.frame.Raw...)
			x.torn = !endsEvent(in.frame.Raw)
		}
	}
	if err != nil && x.failed == nil {
		x.failed = broken(err.Error())
	}
	// What follows the end in the same dialect, such as [DONE], is passed on, too.
	return x.failed != nil || in.err != nil || x.over && !x.same
}

// endsEvent reports whether an event, or a comment, ends as one does.
func endsEvent(raw []byte) bool {
	line, ok := bytes.CutSuffix(raw, []byte{'\n'})
	if !ok {
		line, ok = bytes.CutSuffix(raw, []byte{'\r'})
	}
	line = bytes.TrimSuffix(line, []byte{'\r'})
	return ok && (len(line) == 0 || bytes.HasSuffix(line, []byte{'\n'}) || bytes.HasSuffix(line, []byte{'\r'}) || line[0] == ':')
}

// finish ends the answer.
func (x *exchange) finish() *canon.APIError {
	t := x.turn
	if x.failed != nil && !t.content && !x.content {
		return x.failed
	}
	if x.failed != nil {
		t.record.Error, t.broke = x.failed.Error(), x.failed
		if x.same && !x.said {
			if x.torn {
				x.out = append(x.out, "\n\n"...)
			}
			x.out = t.appendFailure(x.out, x.failed)
		}
	}
	x.write(true)
	return nil
}

// write gives the caller what is there, and reports whether it is still there.
func (x *exchange) write(last bool) bool {
	t := x.turn
	t.open()
	if !t.content {
		t.content = true
		t.record.First = t.s.now().Sub(t.record.Time)
	}
	if len(x.out) == 0 && !last {
		return true
	}
	ok := t.send(x.out)
	x.out = x.out[:0]
	return ok
}
