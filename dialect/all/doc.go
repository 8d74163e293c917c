// Package all lists the codecs of the wire protocols: see [Codecs].
//
// It may import dialect and its codecs.
package all
