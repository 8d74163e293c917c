package gateway_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/gateway"
)

// kept is an upstream that keeps the headers of its requests and answers in a
// dialect, with a status and what a function makes of the request.
type kept struct {
	headers http.Header
	status  int
	answer  func(*http.Request) []byte
}

// RoundTrip implements [http.RoundTripper].
func (k *kept) RoundTrip(r *http.Request) (*http.Response, error) {
	k.headers = r.Header.Clone()
	head := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: k.status, Header: head, Body: io.NopCloser(bytes.NewReader(k.answer(r)))}, nil
}

var credentialHeaders = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Cookie", "X-Crosswalk-Key", "Proxy-Authorization"}

// A caller's credential reaches the vendor that it is for, in the header it came
// in, and nobody else: no key to the gateway, and none of another vendor.
func TestACallersCredentialGoesToItsVendorAlone(t *testing.T) {
	vendors := map[string]string{"anthropic": "anthropic", "chat": "openai", "responses": "openai", "gemini": "google"}
	ways := map[string][]string{"anthropic": {"X-Api-Key", "Authorization"}, "chat": {"Authorization"}, "responses": {"Authorization"}, "gemini": {"X-Goog-Api-Key"}}
	for _, caller := range all.Codecs() {
		for _, up := range all.Codecs() {
			for _, way := range ways[caller.Name()] {
				for _, open := range []bool{true, false} {
					t.Run(caller.Name()+" on "+up.Name()+" by "+way, func(t *testing.T) {
						o := gateway.Options{Codecs: all.Codecs(), Keys: []string{"our-key"}}
						if open {
							o.Keys = nil
						}
						config := to(up.Name(), "https://a")
						config.Upstreams["a"].Key, config.Upstreams["a"].Auth = "", gateway.AuthCaller
						s := gateway.New(config, o)
						k := &kept{status: http.StatusOK, answer: func(*http.Request) []byte {
							b, _ := up.EncodeResponse(nil, &canon.Response{ID: "x", Blocks: []canon.Block{text("x")}}, new(canon.Report))
							return b
						}}
						s.SetTransport(k)
						h := hearWith(t, s, caller, func(r *http.Request) {
							r.Header.Set(way, map[string]string{"Authorization": "Bearer "}[way]+"vendors-key")
							r.Header.Set("Cookie", "a=b")
							if !open {
								r.Header.Set("X-Crosswalk-Key", "our-key")
							}
						})
						if h.Code != http.StatusOK {
							t.Fatalf("%d %s", h.Code, h.Body)
						}
						var got []string
						for _, name := range credentialHeaders {
							if k.headers.Get(name) != "" {
								got = append(got, name)
							}
						}
						var want []string
						if vendors[caller.Name()] == vendors[up.Name()] {
							want = []string{way}
						}
						if !slices.Equal(got, want) {
							t.Errorf("%q went on, want %q", got, want)
						}
					})
				}
			}
		}
	}
}

// hearWith asks a gateway with a request that change has changed.
func hearWith(t *testing.T, s *gateway.Server, c dialect.Codec, change func(*http.Request)) *heard {
	t.Helper()
	return hearAt(t, s, path(c.Name(), false), request(t, c, false), change)
}

// What vendors repeat of a credential is in no error, log line or turn, in an
// answer of whatever status.
func TestCredentialsAreInNoError(t *testing.T) {
	for _, up := range all.Codecs() {
		for _, status := range []int{http.StatusUnauthorized, http.StatusOK} {
			for _, own := range []bool{true, false} {
				var log bytes.Buffer
				config := to(up.Name(), "https://a")
				if own {
					config.Upstreams["a"].Key, config.Upstreams["a"].Auth = "", gateway.AuthCaller
				} else {
					config.Upstreams["a"].Key = "vendors-key"
				}
				s := gateway.New(config, gateway.Options{Codecs: all.Codecs(), Log: slog.New(slog.NewTextHandler(&log, nil))})
				s.SetTransport(&kept{status: status, answer: func(*http.Request) []byte {
					return up.EncodeError(nil, &canon.APIError{Status: 401, Kind: canon.ErrAuthentication, Message: "no such key: vendors-key", Code: "vendors-key", Param: "vendors-key"})
				}})
				h := hearWith(t, s, up, func(r *http.Request) {
					for _, name := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
						r.Header.Set(name, map[string]string{"Authorization": "Bearer "}[name]+"vendors-key")
					}
				})
				turn := hearAt(t, s, "GET /v1/crosswalk/turns/"+h.Header().Get("X-Crosswalk-Turn"), nil, nil)
				for where, text := range map[string]string{"the error": h.Body.String(), "the log": log.String(), "the turn": turn.Body.String()} {
					if strings.Contains(text, "vendors-key") || !strings.Contains(text, "no such key") {
						t.Errorf("%s %d: %s says %s", up.Name(), status, where, text)
					}
				}
				if h.Code != http.StatusUnauthorized {
					t.Errorf("%s %d: the caller gets %d", up.Name(), status, h.Code)
				}
			}
		}
	}
}
