// Package heap bounds the memory of a command that reads large files.
//
// Start with [Bound]. The package may import the standard library.
package heap
