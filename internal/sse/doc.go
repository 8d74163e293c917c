// Package sse reads and writes server-sent events as model APIs stream them.
//
// Start with [NewReader]. The package may import the standard library only.
package sse
