package gateway

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// KeyHeader carries the caller's key where the dialect's own header carries the
// vendor's credential.
const KeyHeader = "X-Crosswalk-Key"

// credentials are the headers that may carry one.
var credentials = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", KeyHeader, "Cookie", "Proxy-Authorization"}

// door judges a request before its body is read, and takes its credentials away.
type door struct {
	// keys are those of callers; open lets everybody in.
	keys [][]byte
	open bool
	// hosts and origins are accepted beside loopback names.
	hosts, origins []string
}

// visitor is a caller who was let in.
type visitor struct {
	// credential is what the caller's own dialect header carried beside its key to
	// us; "" if there is none.
	credential string
	// key is the number of the caller's key, for logs.
	key int
}

// enter lets a request in and removes its credentials, or says why not.
func (d *door) enter(r *http.Request) (v visitor, refused *canon.APIError) {
	switch {
	case !d.knowsHost(r.Host):
		return v, refuse(http.StatusForbidden, "the host "+r.Host+" is not one of this gateway's names: list it in allowed_hosts")
	case !d.knowsOrigin(r):
		return v, refuse(http.StatusForbidden, "pages of other sites may not use this gateway: list the origin in allowed_origins")
	case r.Method == http.MethodOptions:
		return v, refuse(http.StatusForbidden, "preflights are not answered")
	}
	key, credential := keysOf(r)
	for _, h := range credentials {
		r.Header.Del(h)
	}
	if q := r.URL.Query(); q.Has("key") {
		q.Del("key")
		r.URL.RawQuery = q.Encode()
	}
	v.credential = credential
	if d.open {
		return v, nil
	}
	for i, k := range d.keys {
		if subtle.ConstantTimeCompare(k, []byte(key)) == 1 {
			v.key = i + 1
			return v, nil
		}
	}
	if key == "" {
		return v, refuse(http.StatusUnauthorized, "this gateway needs a key, in the header that your API's keys go into")
	}
	return v, refuse(http.StatusUnauthorized, "the key is not one of this gateway's")
}

func refuse(status int, message string) *canon.APIError {
	return &canon.APIError{Status: status, Kind: canon.KindOfStatus(status), Message: message}
}

// keysOf returns the caller's key, and the credential that a header carries
// beside it.
func keysOf(r *http.Request) (key, credential string) {
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	for _, k := range []string{r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"), bearer, r.URL.Query().Get("key")} {
		if k != "" {
			credential = k
			break
		}
	}
	if own := r.Header.Get(KeyHeader); own != "" {
		return own, credential
	}
	return credential, ""
}

// knowsHost keeps a page of another site from reaching a loopback address under
// a name of its own.
func (d *door) knowsHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" || slices.Contains(d.hosts, host) {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (d *door) knowsOrigin(r *http.Request) bool {
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(d.origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}
