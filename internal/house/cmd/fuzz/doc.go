// Fuzz runs every fuzz target of the module.
//
//	fuzz -budget 2m [MODULE]   all targets together in about that time
//	fuzz -each 60s [MODULE]    every target for that time
//
// It finds the targets in the module's test files and starts "go test -run=^$ -fuzz=^Name$" for each.
// With -budget each target gets an equal share of the time that is left, less what starting the one
// before took, but at least a second. The exit code is 1 when a target failed or there is none; the
// failing input is where go test puts it, under testdata/fuzz of the package.
//
// It may import package house and the standard library.
package main
