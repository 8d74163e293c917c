// Package cli is the command line: it parses, asks, prints, and wires the
// concrete agents to the services. Each command is an options struct, a
// constructor that parses into it, and a run function that works.
//
// Start with [Main]. It may import everything below it, cobra and pflag,
// bubbletea, x/ansi and x/term.
package cli
