package gateway

import "net/http"

// SetTransport makes s reach its upstreams in another way.
func (s *Server) SetTransport(t http.RoundTripper) { s.client.Transport = t }
