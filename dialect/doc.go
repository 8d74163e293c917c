// Package dialect is the contract of a wire protocol: how a request, an answer,
// a stream of answers and an error are read into canon and written from it.
//
// Codecs are in dialect/<id>, listed by hand in dialect/all, and held to the one
// suite in dialect/dialecttest. No codec knows of another, of a model's name, of a
// key or of a setting.
//
// Start with [Codec]. The package may import canon and internal/sse. Its API is
// not stable.
package dialect
