// Package anthropic is the codec of the Anthropic Messages protocol: content
// blocks and requests to and from canon. Claude Code embeds its blocks in its
// session files, so the block codec serves both.
//
// Reading is lenient: what it does not know becomes an [canon.OpaqueBlock] or
// stays in Ext. Writing is strict: what the protocol cannot express is an
// error, and the caller adapts the content first.
//
// Format facts come from requests recorded of Claude Code 2.1.332 and from
// public session files of versions 1.0.17 to 2.1.237.
//
// Start with [ReadContent] and [AppendBlock]. The package may import canon and
// internal/jsonx. Its API is not stable.
package anthropic
