// Depguard writes the depguard rules of .golangci.yml from the table of package house.
//
// It may import package house and the standard library.
package main
