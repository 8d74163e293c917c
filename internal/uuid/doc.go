// Package uuid makes and recognises the ids that sessions, records and hand-overs
// have (RFC 9562).
//
// Start with [New]. The package may import the standard library only.
package uuid
