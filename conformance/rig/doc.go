// Package rig runs the real coding agents, sealed off from the network, against
// a scripted model. Tests use it to see what a client sends, what it does with
// an answer, and whether it accepts a file that Crosswalk wrote. It needs no
// account and no model.
//
// A [Bench] is opened once per test program: it knows the installed clients
// (see scripts/install-clients and conformance/clients.json) and builds the two
// helper programs. A [Box] is one sealed run. [Claude] and [Codex] are boxes
// that know their client: they take a home folder, a work folder and a script,
// which is the list of answers that the model gives in order.
//
//	bench, err := rig.Open(ctx, rig.Options{})
//	defer bench.Close()
//	res, err := bench.Claude(home, work, rig.Turn{Text: "hello"}).Run(ctx, "-p", "hi")
//
// Every box has a network of its own with loopback only, hides the caller's
// home and temporary folder but for what the run names, and takes everything
// started inside with it when it ends.
//
// [Terminal] drives a program in a real pseudo-terminal, inside a box or, for
// our own programs, without one. [Bench.MakeClaudeSession] and
// [Bench.MakeCodexSession] let a real client write a session file of a known
// shape.
//
// The package may import the standard library, golang.org/x/sys, creack/pty,
// charmbracelet/x/vt and internal/scripted; nothing of the product that it
// tests. Start with [Open].
package rig
