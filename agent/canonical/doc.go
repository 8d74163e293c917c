// Package canonical reads and writes Crosswalk's own session file: what
// `crosswalk show --json` prints and `crosswalk convert` takes. It carries a
// session as canon holds it, so that nothing is lost on the way through it.
//
// The file is JSON lines. The first one is the header, each other one a message:
//
//	{"crosswalk":1,"thread":{"id":"…","agent":"claude","title":"…","cwd":"…",…}}
//	{"type":"message","message":{"id":"…","role":"user","line":3,"blocks":[{"type":"text","text":"…"}]}}
//
// The names are those of canon in lower case; whatever is empty is left out.
// The kinds of block are the names of [canon.BlockKind]. Text is the JSON
// literal of the file it came from, and JSON that nobody has to understand (a
// call's input, an opaque item, members of a dialect) stands as it was written
// in a member "json". A value that has line breaks, or white space around it,
// stands as a string in "json_text" instead, so that it survives to the byte
// while the line stays one line. Times are RFC 3339 with as many digits as they
// have.
//
// A message stands within a member because other agents' files have a "role" at
// the top of a line, and would claim ours.
//
// The number in the header is the version of the format. A reader passes over
// members and records that it does not know, and refuses a greater version.
//
// Start with [New] to read and [NewEncoder] to write. The package may import
// agent, canon, internal/jsonl and internal/jsonx. Its API is not stable.
package canonical
