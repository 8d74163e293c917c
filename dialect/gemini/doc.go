// Package gemini is the codec of the Gemini generateContent and
// streamGenerateContent protocol: its requests, answers, streams and errors to
// and from canon.
//
// The model and whether the answer is streamed stand in the path of a request,
// not in its body: a request that is decoded has neither, and none is written.
//
// # Signatures
//
// A thoughtSignature stands on a part, mostly on a call, and has to come back on
// it. In canon it is the capsule of a ReasoningBlock, with the thoughts before it
// if they are shown: that is what other dialects carry through their clients. A
// capsule goes onto the part that follows its block, a call, a text or an image;
// one that nothing follows stands on an empty text, as the API itself has it at
// the end of a stream. (ai.google.dev/gemini-api/docs/thought-signatures.)
//
// Models from the third generation on refuse a turn whose first call has no
// signature. Where none is known, the first call of a model's turn gets the value
// that the vendor documents for that, in the whole conversation and not only since
// the user's last prompt: otherwise what was written before would change with each
// prompt, and no prompt cache would hold. That value is passed over when it is
// read. A [dialect.Target] that takes budgets for its reasoning is of the
// generation before, which knows no such rule.
//
// # Facts
//
// Requests and streams are those of Gemini CLI 0.61.0, which were recorded, and of
// the vendor's reference (ai.google.dev/api, 2026-11). Like the API, the codec
// takes the names of members in camel case and with underscores.
//
// Start with [New]. The package may import canon, dialect, internal/jsonx and
// internal/sse. Its API is not stable.
package gemini
