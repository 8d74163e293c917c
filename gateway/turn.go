package gateway

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// call is what the address of a request says of it, in the dialect that puts it
// there.
type call struct {
	model  string
	stream bool
	// list says that the answer is a JSON list, of what would be the events of a
	// stream.
	list bool
}

// turn is one request on its way.
type turn struct {
	s       *Server
	config  *Config
	ctx     context.Context //nolint:containedctx // a turn is one call, cut into methods
	cancel  context.CancelFunc
	w       http.ResponseWriter
	r       *http.Request
	caller  dialect.Codec
	call    call
	visitor visitor
	record  *Turn

	body   []byte
	stream bool
	usage  bool         // the caller, who has to ask for the usage of a stream, has asked
	report canon.Report // of the attempt
	// began says that the caller has got the answer's status, and content that it
	// has got some of what the model says: from then on nothing else can be tried.
	began, content bool
	// spoke is when the caller of an open stream last heard something.
	spoke time.Time
	// broke is what ended the attempt's answer when the caller had some of it.
	broke *canon.APIError
}

// status499 is what a log calls the end of a turn whose caller went away.
const status499 = 499

func (t *turn) serve() {
	body, err := readBody(t.r, t.config.MaxBody)
	if err != nil {
		t.fail(apiError(err))
		return
	}
	q, err := t.caller.DecodeRequest(body)
	if err != nil {
		t.fail(refuse(http.StatusBadRequest, err.Error()))
		return
	}
	if t.call.model != "" {
		q.Model, q.Stream = t.call.model, t.call.stream
	}
	t.body, t.stream, t.usage = body, q.Stream, q.StreamUsage
	t.record.Model, t.record.Stream = q.Model, q.Stream
	targets, err := t.config.Route(q.Model)
	if err != nil {
		t.fail(refuse(http.StatusNotFound, err.Error()))
		return
	}
	deadline := t.s.now().Add(t.config.silence)
	var last *canon.APIError
	for i, target := range targets {
		if !t.s.breakers.allows(target.Upstream) && i < len(targets)-1 {
			continue
		}
		var over bool
		if last, over = t.tryTarget(&target, deadline); over {
			return
		}
		if !passing(last) {
			break
		}
	}
	t.fail(last)
}

const (
	// maxTries is how often one target is asked, and firstPause how long the first
	// wait between two tries is, where the upstream does not say.
	maxTries   = 3
	firstPause = 500 * time.Millisecond
)

// tryTarget asks a target until it answers, as long as there is time. over says
// that the caller has its answer or is gone.
func (t *turn) tryTarget(target *Target, deadline time.Time) (failed *canon.APIError, over bool) {
	pause := firstPause
	for try := 1; ; try++ {
		failed = t.attempt(target)
		if t.ctx.Err() == nil { // else it says nothing of the upstream
			bad := cmp.Or(failed, t.broke)
			t.s.breakers.note(target.Upstream, bad == nil || !passing(bad))
		}
		switch {
		case failed == nil, t.content:
			return nil, true
		case t.ctx.Err() != nil:
			t.leave()
			return nil, true
		case !passing(failed) || try == maxTries:
			return failed, false
		}
		if failed.RetryAfter > 0 {
			pause = failed.RetryAfter
		}
		if t.s.now().Add(pause).After(deadline) {
			return failed, false
		}
		if t.s.sleep(t.ctx, pause) != nil {
			t.leave()
			return nil, true
		}
		pause *= 2
	}
}

// passing reports whether an error may be gone at the next try, or at another
// upstream.
func passing(e *canon.APIError) bool {
	switch e.Kind {
	case canon.ErrRateLimit, canon.ErrOverloaded:
		return true
	case canon.ErrTimeout, canon.ErrInternal:
		return e.Status == http.StatusBadGateway || e.Status == http.StatusGatewayTimeout || e.Status == http.StatusServiceUnavailable || e.Status == 0
	case canon.ErrInvalid, canon.ErrAuthentication, canon.ErrBilling, canon.ErrPermission, canon.ErrNotFound, canon.ErrTooLarge:
	}
	return false
}

// attempt asks one upstream once. It returns nil if the caller has its answer.
func (t *turn) attempt(target *Target) *canon.APIError {
	u := t.config.Upstreams[target.Upstream]
	t.report, t.broke = canon.Report{}, nil
	a := Attempt{Upstream: u.Name, Dialect: u.Dialect, Model: target.Model}
	failed := t.ask(u, target, &a)
	if bad := cmp.Or(failed, t.broke); bad != nil {
		a.Error = bad.Error()
	}
	t.record.Attempts = append(t.record.Attempts, a)
	t.record.Losses = t.report.Losses
	return failed
}

func (t *turn) ask(u *Upstream, target *Target, a *Attempt) *canon.APIError {
	codec, w := t.s.codecs[u.Dialect], wires[u.Dialect]
	if codec == nil {
		return refuse(http.StatusInternalServerError, "this gateway does not speak the "+u.Dialect+" dialect")
	}
	same := u.Dialect == t.caller.Name()
	body, flat, err := t.convert(codec, w, target, same)
	if err != nil {
		return apiError(err)
	}
	if t.config.Strict && len(t.report.Losses) > 0 {
		return refuse(http.StatusUnprocessableEntity, "strict: the upstream cannot take "+lossHeader(t.report.Losses))
	}
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.path(u.BaseURL, target.Model, t.stream), bytes.NewReader(body))
	if err != nil {
		return refuse(http.StatusInternalServerError, err.Error())
	}
	w.headers(req.Header, u, t, same)
	resp, err := t.do(req, cancel)
	var api *canon.APIError
	switch {
	case errors.As(err, &api):
		return api
	case err != nil:
		return broken("the upstream " + u.Name + " cannot be reached: " + withoutAddress(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if a.Status = resp.StatusCode; resp.StatusCode != http.StatusOK {
		return t.refused(codec, u, resp)
	}
	x := &exchange{turn: t, of: u, upstream: codec, flat: flat, same: same && flat.IsEmpty(), cancel: cancel}
	failed := x.relay(resp)
	if failed != nil {
		t.mask(u, failed)
	}
	return failed
}

// withoutAddress returns the reason of a request's failure without its URL, which
// may hold what should not be logged.
func withoutAddress(err error) string {
	var u interface{ Unwrap() error }
	if errors.As(err, &u) && u.Unwrap() != nil {
		return u.Unwrap().Error()
	}
	return err.Error()
}

// convert returns the body for the upstream.
func (t *turn) convert(codec dialect.Codec, w *wire, target *Target, same bool) ([]byte, *dialect.Flat, error) {
	if same && target.Effort == "" {
		edits := []canon.Edit{{Op: canon.EditModel, To: target.Model}}
		body, err := codec.SpliceRequest(nil, t.body, edits)
		return body, new(dialect.Flat), err
	}
	q, err := t.caller.DecodeRequest(t.body)
	if err != nil {
		return nil, nil, err
	}
	q.Stream = t.stream
	if target.Effort != "" {
		q.Reasoning = canon.Reasoning{Mode: canon.ReasoningOn, Effort: canon.Effort(target.Effort), Show: q.Reasoning.Show}
	}
	to := &dialect.Target{Model: target.Model, MaxOutput: target.MaxOutput, LeadingSystem: w.leadingSystem && !same}
	flat := dialect.Flatten(q, codec.Capacity(to), &t.report)
	body, err := codec.EncodeRequest(make([]byte, 0, len(t.body)+len(t.body)/8), q, to, &t.report)
	return body, flat, err
}

// maxErrorBody is how much of an error's body is read, in bytes.
const maxErrorBody = 1 << 20

// refused reads the error that an upstream answers with.
func (t *turn) refused(codec dialect.Codec, u *Upstream, resp *http.Response) *canon.APIError {
	if resp.StatusCode < 400 {
		return &canon.APIError{
			Status: http.StatusBadGateway, Kind: canon.ErrPermission,
			Message: fmt.Sprintf("the upstream %s answers with a redirect (%d), which is not followed: correct its base_url", u.Name, resp.StatusCode),
		}
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // what there is of it
	e := codec.DecodeError(resp.StatusCode, body)
	e.RetryAfter = retryAfter(resp.Header, t.s.now())
	t.mask(u, e)
	return e
}

// mask takes the credentials out of an error: some vendors repeat them.
func (t *turn) mask(u *Upstream, e *canon.APIError) {
	secrets := []string{string(u.Key)}
	for _, values := range t.visitor.own {
		secrets = append(secrets, strings.TrimPrefix(values[0], bearerPrefix))
	}
	for _, secret := range secrets {
		if secret == "" {
			continue
		}
		for _, s := range []*string{&e.Message, &e.Code, &e.Param, &e.RequestID} {
			*s = strings.ReplaceAll(*s, secret, "…")
		}
	}
}

// fail answers with an error: a status, or the end of a stream that has begun.
func (t *turn) fail(e *canon.APIError) {
	t.record.Error = e.Error()
	t.record.Status = e.HTTPStatus()
	if t.began {
		t.send(t.appendFailure(nil, e))
		return
	}
	t.header()
	writeError(t.w, t.caller, e, t.call.list)
}

// appendFailure appends the end of a stream that fails, as the caller's dialect
// writes it.
func (t *turn) appendFailure(dst []byte, e *canon.APIError) []byte {
	enc := t.caller.NewEncoder(dialect.StreamOptions{}, new(canon.Report))
	out, err := enc.Encode(dst, &canon.Event{Kind: canon.EventError, Err: e})
	if err != nil {
		return dst
	}
	return out
}

// apiError returns err as an error of an API: a refusal of ours, or a bad request.
func apiError(err error) *canon.APIError {
	var api *canon.APIError
	if errors.As(err, &api) {
		return api
	}
	return refuse(http.StatusBadRequest, err.Error())
}

// longestWait bounds what an upstream says of how long to wait.
const longestWait = 7 * 24 * time.Hour

// retryAfter reads how long to wait: seconds, a date, or the milliseconds of some
// vendors.
func retryAfter(h http.Header, now time.Time) time.Duration {
	for _, x := range [...]struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		if n, err := strconv.ParseFloat(h.Get(x.name), 64); err == nil && n > 0 {
			return time.Duration(min(n*float64(x.unit), float64(longestWait)))
		}
	}
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil && at.After(now) {
		return min(at.Sub(now), longestWait)
	}
	return 0
}
