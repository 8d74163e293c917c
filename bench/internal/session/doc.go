// Package session makes up session files for benchmarks: they are built like
// those that Claude Code 2.1.145 and Codex 0.146.0 wrote, with the same records,
// key order and lengths, escapes and share of text that is not ASCII, and say
// nothing. The same [Options] always give the same bytes.
//
// It may import the standard library only. Start with [WriteClaude] and
// [WriteCodex]; [WriteHome] fills a home directory for listings.
package session
