// Package responses is the codec of the OpenAI Responses protocol: requests,
// answers, streams and errors to and from canon, and the items that they are made
// of. Codex embeds its items in its rollout files, so the item codec serves both.
//
// Each item is a [canon.Message] of its own: items are what this dialect ids.
// Reading is lenient: an item or content part it does not know becomes a
// [canon.OpaqueBlock]. Writing is strict: what the protocol cannot express is
// an error, and the caller adapts the content first.
//
// Format facts come from requests recorded of Codex 0.171.0 and OpenCode
// 1.18.33, and from public rollouts of 2025-05 to 0.146.
//
// Start with [Codec], or with [ReadItem] and [AppendItem] for files. The package
// may import canon, dialect, internal/jsonx and internal/sse. Its API is not
// stable.
package responses
