// Casecount reads the output of "go test -json" and holds every package to its number of cases.
//
//	go test -json ./... | casecount [-cases FILE] [-update] [-partial]
//
// A case is a test or subtest without subtests of its own. Casecount prints the output of what failed,
// one line per package with the number of cases that passed, and last the line
//
//	N passed, N failed, N skipped
//
// A case that is skipped does not count, unless the reason says where it runs: "runs as root". The
// machine cannot run it then, and the number is that of machines that can.
//
// FILE (internal/house/cases.txt) records the fewest cases of each package, in one column for a run
// without the session corpus and one for a run with it (CROSSWALK_CORPUS set). A package below its
// number, one that is recorded and did not run, or one without a number fails the run, so that cases
// do not go missing unseen. -update raises the numbers after a clean run and never lowers them; a
// package that is gone is taken out of FILE by hand. -partial judges only the recorded packages that
// ran.
//
// The exit code is 1 when anything failed. Run it with pipefail, so that a go command that fails
// without saying so in JSON is seen too.
//
// It may import the standard library only.
package main
