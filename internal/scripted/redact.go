package scripted

import (
	"net/http"
	"net/url"
	"strings"
)

const dropped = "<dropped>"

// redactHeader drops the value of a header that authenticates, but keeps a known
// scheme: whether a client sent Bearer or Basic is worth a test.
func redactHeader(name, value string) string {
	switch http.CanonicalHeaderKey(name) {
	case "Authorization", "Proxy-Authorization":
		switch scheme, _, found := strings.Cut(value, " "); {
		case found && strings.EqualFold(scheme, "bearer"):
			return "<dropped Bearer>"
		case found && strings.EqualFold(scheme, "basic"):
			return "<dropped Basic>"
		}
		return dropped
	case "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie", "Sec-Websocket-Protocol":
		return dropped
	case "Referer":
		return redactURL(value)
	default:
		return value
	}
}

// redactURL drops key parameters and user information, and keeps all other bytes.
func redactURL(raw string) string {
	if head, tail, found := strings.Cut(raw, "//"); found && !strings.ContainsAny(head, "/?#") {
		end := strings.IndexAny(tail, "/?#")
		if end < 0 {
			end = len(tail)
		}
		if user := strings.LastIndexByte(tail[:end], '@'); user >= 0 {
			raw = head + "//" + dropped + tail[user:]
		}
	}
	path, query, found := strings.Cut(raw, "?")
	if !found {
		return raw
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		name, _, _ := strings.Cut(part, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		switch strings.ToLower(plain) {
		case "key", "api_key", "access_token":
			parts[i] = name + "=" + dropped
		}
	}
	return path + "?" + strings.Join(parts, "&")
}
