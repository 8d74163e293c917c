// Package transcript renders a session for people: [Text] for a terminal,
// [HTML] as one page that refers to nothing outside itself.
//
// A session is hostile input. Whatever comes out of it, names and ids too,
// passes package internal/visible before it reaches an output, so that control
// characters cannot drive a terminal and characters that cannot be seen or turn
// the direction of text do not deceive; the type shown holds what has. The page
// has no script, no link that leads out, and images only as data that was
// decoded and recognised.
//
// Both take the messages as a stream and hold one message at a time, a few names
// of tools, and for the end of a session ([TextOptions].Tail) its text.
//
// Start with [Text]. The package may import canon, internal/codemode,
// internal/jsonx, internal/visible, displaywidth and the standard library. Its API is not stable.
package transcript
