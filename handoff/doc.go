// Package handoff moves a session from one agent to another: it reads it, drops
// what must not travel, settles what would not resume, writes it for the other
// agent, and accounts for all of it in a [canon.Report]. Brought back, what the
// other agent added is merged into a copy of the original.
//
// Start with [Convert], which goes from file to file. The package knows agents
// by the contract in package agent alone. It may import agent, canon,
// internal/jsonl, internal/jsonx, internal/secret, internal/journal,
// internal/atomicfile, internal/fault, internal/osx and internal/uuid. It is part of
// the supported library.
package handoff
