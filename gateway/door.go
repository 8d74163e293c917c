package gateway

import (
	"cmp"
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
var credentials = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Cookie", "Proxy-Authorization"}

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
	// own are the headers that carry the caller's credentials for a vendor, beside
	// its key to us; nil if there are none.
	own http.Header
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
	key, own := keysOf(r)
	for _, h := range credentials {
		r.Header.Del(h)
	}
	if q := r.URL.Query(); q.Has("key") {
		q.Del("key")
		r.URL.RawQuery = q.Encode()
	}
	if d.open || r.Header.Get(KeyHeader) != "" {
		v.own = own
	}
	r.Header.Del(KeyHeader)
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

// keysOf returns the key that the caller shows us, and the headers that carry a
// credential, which may be that key.
func keysOf(r *http.Request) (key string, own http.Header) {
	own = make(http.Header)
	for _, h := range []string{"X-Api-Key", "X-Goog-Api-Key", "Authorization"} {
		if v := r.Header.Get(h); v != "" {
			own.Set(h, v)
		}
	}
	if q := r.URL.Query().Get("key"); q != "" && own.Get("X-Goog-Api-Key") == "" {
		own.Set("X-Goog-Api-Key", q)
	}
	bearer, _ := strings.CutPrefix(own.Get("Authorization"), bearerPrefix)
	return cmp.Or(r.Header.Get(KeyHeader), own.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"), bearer, own.Get("X-Goog-Api-Key")), own
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
