// Package chat is the codec of the OpenAI Chat Completions protocol, in which
// most servers of models speak.
//
// Reading is lenient, as those servers and their clients differ: reasoning under
// four names or between <think> tags, calls without ids or with arguments that are
// no string, a stream without its end mark. Writing keeps to what OpenAI's
// reference documents, and beside it to reasoning_content, which DeepSeek, Kimi,
// GLM and Qwen document, to extra_content of Gemini's compatible API, and to
// cache_write_tokens, which OpenRouter documents.
//
// What is where:
//   - The limit of an answer is max_tokens, which every server takes, but
//     max_completion_tokens in a request with a reasoning_effort: OpenAI's
//     reasoning models refuse the other. Both are read.
//   - Whom an answer is for is user, which every server takes; safety_identifier,
//     OpenAI's newer name for it, is read as well.
//   - A signature that Gemini's compatible API gives with a call, as
//     extra_content.google.thought_signature, is reasoning of which only the capsule
//     was given, before the call; so is, on the way out, any vendor's capsule that
//     stands before a call.
//   - A refusal is text with the member "refusal".
//   - An image or document in a tool's result stands in a user message behind all
//     results of the turn, and a mark of it in the result.
//
// Format facts come from OpenAI's API reference (2026-11), from requests recorded
// of OpenCode 1.18.33 and Qwen Code 0.24.4, and from public reports about servers.
//
// Start with [New]. The package may import canon, dialect and packages under
// internal. Its API is not stable.
package chat
