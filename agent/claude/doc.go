// Package claude reads and writes the session files of Claude Code: one JSON
// object a line in <config>/projects/<dir>/<uuid>.jsonl, a tree of records of
// which one branch is active.
//
// A session is read in two passes: the first builds an index of every record
// (at most 64 bytes each) and decides what is on the branch, the second decodes
// those records in order. How the client itself chooses the branch, re-attaches
// parallel results and treats compactions was measured with version 2.1.332.
//
// Start with [New]; [ProjectDirName] is the folder name formula. The package
// may import agent, canon, dialect/anthropic, internal/atomicfile, internal/codemode,
// internal/fault, internal/jsonl, internal/jsonx, internal/osx and internal/uuid.
// Its API is not stable.
package claude
