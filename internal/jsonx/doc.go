// Package jsonx reads and writes JSON text without turning it into Go maps.
//
// Session files, requests and streams are rewritten, not interpreted: key
// order, digits, escapes and unknown members must come out as they went in.
// So values stay raw bytes until somebody needs their meaning, and one pass
// over the text is all a reader takes.
//
// Start with [Decoder], a pull parser over one JSON text in memory. [Raw] is a
// JSON value as it was written; [AppendQuote] and [AppendUnquote] convert
// between decoded strings and JSON string literals.
//
// It is the only package that imports github.com/go-json-experiment/json;
// beyond that it may import the standard library only.
package jsonx
