// Package chunk holds long lists of small values in pieces: growing one slice
// would copy it over and over, and take twice its memory meanwhile.
//
// Start with [List]. The package may import the standard library.
package chunk
