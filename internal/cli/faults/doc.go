// Package faults holds tests only: the built program meets full disks, missing
// permissions, names that are taken, its own death at every point of a write,
// and sessions that grow, shrink and go while it reads them. Whatever happens,
// it ends, says which file is concerned and what to do, leaves no half of
// anything, and keeps the originals as they are.
//
// Start with machine in machine_test.go. The tests may import what those of the
// command line may.
package faults
