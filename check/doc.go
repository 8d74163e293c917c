// Package check tells, without running a client, whether a session file will
// resume: an offline lint of Claude Code sessions and Codex rollouts with stable
// rule ids, and a repair that writes a new file.
//
// It is an independent second opinion. It shares no code with the readers and
// writers in agent/claude and agent/codex, so that a wrong idea there is not
// confirmed here: what a client does with a file is written down once more, in
// its rules, with the client version in which it was seen.
//
// Start with [Check], which returns a [Report]; [Rules] lists what is looked
// for. [Repair] writes a copy without the defects that can be repaired and proves
// that everything readable is still in it. Files are streamed: memory is at most
// about 64 bytes a record beside the longest line, and, while repairing, a digest
// for each content block.
//
// The package may import the standard library, agent (only [agent.Identify], to
// recognise a file), canon (only [canon.Extent], and words of ours that readers
// know again), internal/jsonl, internal/jsonx, internal/atomicfile, internal/osx and
// internal/uuid. It is part of the supported library.
package check
