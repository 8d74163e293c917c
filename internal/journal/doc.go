// Package journal is the one append-only format of the product: hand-overs,
// gateway turns, hook decisions and activity are all kept in it. It is the
// truth; a database made from it can be deleted and rebuilt.
//
// It may import the standard library, internal/osx and internal/fault only.
//
// Start with [Journal]. [Journal.Append] adds a record, [Journal.Records]
// reads them oldest first, [Journal.Backward] newest first.
//
// # Format
//
// A journal is a folder (0700) with one file (0600) for each day of UTC, its
// segment, named YYYY-MM-DD.jsonl. A record is one JSON object on a line of
// at most [MaxLine] bytes. It begins with two members, "t" (RFC 3339 with
// nanoseconds, UTC) and "kind"; the others are the caller's payload:
//
//	{"t":"2026-03-01T09:30:00.000000000Z","kind":"handoff","source":"claude"}
//
// An append locks the segment (flock) and hands the whole line to the system
// in one write, so that any number of processes may append at once. The time
// is taken under the lock: within a segment records are in the order of their
// times as long as the clock is not set back.
//
// A process killed or a machine switched off in the middle of a write leaves
// a torn line, or one of NUL bytes. The next append starts on a new line, and
// readers report the damaged one as a [LineError] and go on. No complete line
// is ever lost to it.
package journal
