package jsonl

import (
	"bytes"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// resync returns where, behind what b begins with and no parser takes for a
// record, the next one may begin, or the end of b. It takes time in proportion
// to how far it goes, so that no line, whatever is in it, takes longer than its
// length allows.
func resync(b []byte) int {
	var v value
	v.d.Reset(b)
	v.read()
	at := v.d.Offset()
	if v.d.Err() == nil { // a value, and as a whole no record
		return findStart(b, max(at, 1))
	}
	if v.last > 0 && v.end == at && beginsRecord(b[v.last:]) {
		return v.last
	}
	// A string that breaks off ends at the first quote of the record behind it.
	return findStart(b, max(at-2, 1))
}

// value reads a JSON value as far as it goes.
type value struct {
	d jsonx.Decoder
	// last is where the object began that was closed last, and end where the
	// text goes on behind it. A record may be the last thing that a broken one
	// holds: that is when it broke off where a value was to come.
	last, end int
}

func (v *value) read() {
	from := v.d.Next()
	switch v.d.Kind() {
	case jsonx.Object:
		for range v.d.Members() {
			v.read()
		}
		if v.d.Err() == nil {
			v.last, v.end = from, v.d.Next()
		}
	case jsonx.Array:
		for range v.d.Elements() {
			v.read()
		}
	default:
		v.d.Skip()
	}
}

// findStart returns the first place in b from at on where a record may begin,
// or where NUL bytes may end a broken one; or the end of b.
func findStart(b []byte, at int) int {
	for at < len(b) {
		n := bytes.IndexAny(b[at:], "{\x00")
		if n < 0 {
			break
		}
		if at += n; b[at] == 0 || beginsRecord(b[at:]) {
			return at
		}
		at++
	}
	return len(b)
}

// beginsRecord reports whether b looks like the start of a record. Records of
// the agents begin with one of a few members (all files of the corpus, Claude
// Code 1.0.17 to 2.1.332 and Codex of 2025-04 to 0.171.0); inside a string
// their quotes would be escaped.
func beginsRecord(b []byte) bool {
	for _, start := range [...]string{
		`{"parentUuid"`, `{"type"`, `{"timestamp"`, `{"uuid"`, `{"isSidechain"`,
		`{"ordinal"`, `{"payload"`, `{"record_type"`, `{"id"`,
	} {
		if bytes.HasPrefix(b, []byte(start)) {
			return true
		}
	}
	return false
}
