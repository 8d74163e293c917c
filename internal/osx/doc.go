// Package osx hides what differs from one operating system to the next: file
// locks, renaming without replacing, opening without following a link,
// making a folder entry durable, the physical working directory, waiting at a
// terminal, groups of processes, giving the process to another program, and
// asking whether one is still alive.
//
// It may import the standard library and golang.org/x/sys only. Everything
// above it is free of build tags for these matters.
//
// Start with [OpenLocked], the one way two processes take turns on a file.
//
// Linux and macOS are supported. The Windows half is compiled and vetted, but
// has never been run. There a mode such as 0600 says only "writable": a new
// file takes its access list from its folder.
package osx
