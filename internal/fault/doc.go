// Package fault names the moments at which the program may be killed or
// stopped from outside with something half done: between two steps of a write,
// or while it reads what another process writes.
//
// In the program as it is built and shipped [Point] is empty. Built with the tag
// crosswalk_faults it ends the process, or lets it wait, where the environment says so;
// the tests of internal/cli/faults do that to the whole program.
//
// It may import the standard library only. Start with [Point].
package fault
