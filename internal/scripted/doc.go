// Package scripted is the project's own upstream: a loopback HTTP server that
// plays a scripted model over four wire protocols, so that real coding agents and
// the gateway can be tested without an account, a model or a network.
//
// Start with [New]. A [Script] is a list of turns read by [Load] or [Parse]. [New] turns it into a
// [Server], an [net/http.Handler] that answers
//
//	POST /v1/messages, /v1/messages/count_tokens             Anthropic Messages
//	POST /v1/responses                                       OpenAI Responses
//	POST /v1/chat/completions                                OpenAI Chat Completions
//	POST /{v1,v1beta}/models/M:generateContent               Gemini, also
//	     :streamGenerateContent (SSE or JSON array) and :countTokens
//	GET  /v1/models     HEAD /api/hello
//
// streamed or plain, as the request asks. A WebSocket upgrade is answered 426, a
// CONNECT 403, anything else 404. Every request is recorded: in memory
// ([Server.Requests]) and, with Options.Record, as one JSON file each.
//
// One turn is spent per request that declares tools (top-level tools, or an
// additional_tools input item of Responses) and does not ask for a structured
// answer (text.format, output_config.format): that is how agents' main requests
// differ from their title and router requests, which get the text "ok". After the
// last turn the answer is the text "done". Options.AllRequests spends a turn on
// every request.
//
// The answers are exact where a client or a gateway could notice: order of events,
// contiguous indexes and sequence numbers, usage arithmetic, stop reasons, error
// shapes. They are deterministic: ids come from a seed and the turn's index, times
// from Options.Now. A turn's [Fault] makes the server misbehave in a chosen way.
//
// The package is an oracle for the codecs of this module. It therefore imports
// none of its packages: the standard library and klauspost/compress (zstd request
// bodies) only.
package scripted
