// Package gateway serves any agent on any model: it takes requests of the four
// protocols, finds the upstream that the configuration routes their model to,
// converts where the protocols differ, and passes bytes on as they are where they
// do not.
//
// Start with [Load]. The package may import canon, dialect, internal packages,
// goccy/go-yaml and the standard library; codecs are handed to it. Its API is not
// stable.
package gateway
