// Package codex reads and writes the rollout files of Codex: JSON lines in
// $CODEX_HOME/sessions/<yyyy>/<mm>/<dd>/rollout-<time>-<thread id>.jsonl, in
// which response_item records are what the model sees and event_msg records
// what screens and pickers show.
//
// It reads every form that is about: the legacy and the paginated wrapper, the
// bare items of before September 2025, the single document of April 2025, each
// plain or zstd-compressed, live or archived, and threads that continue in
// another file. It writes the legacy form, which 0.171.0 resumes, lists and
// shows. Codex's databases are never opened.
//
// Start with [New]. The package may import agent, canon, dialect/responses,
// internal/jsonl, internal/jsonx, internal/osx, internal/tomledit and internal/uuid. Its API is not
// stable.
package codex
