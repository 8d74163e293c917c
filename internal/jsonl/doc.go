// Package jsonl reads files of one JSON value a line as crashed, careless and
// running programs leave them: records glued on one line, cut in the middle,
// preceded by runs of NUL bytes, with a byte order mark or CRLF, without a
// final newline, compressed with zstd. Whatever can be read is handed out with
// its place; the rest is counted as damage with a line number.
//
// Start with [Open] and [File.Each]. Memory is bounded by the longest line. The
// package may import the standard library, internal/jsonx,
// internal/fault and github.com/klauspost/compress.
package jsonl
