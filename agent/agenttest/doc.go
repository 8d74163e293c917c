// Package agenttest is the one suite that every adapter of a coding agent
// passes: what it may refuse and in which words, that it reads the same way each
// time and leaves the files alone, that a hand-over balances, and for a writer
// that everything comes back that the report does not list, and that a fault at
// any moment leaves nothing.
//
// An adapter's test calls [Run] with files of its format. The package may import
// agent, canon, internal/atomicfile, internal/fixture, internal/jsonx and test
// modules.
package agenttest
