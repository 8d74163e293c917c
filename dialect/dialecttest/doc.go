// Package dialecttest is what the codecs of package dialect are tested with: a
// readable form of canonical values, comparison by what they say, transcripts
// of requests, and random blocks.
//
// Start with [Requests] and [Diff]. It may import canon, internal/fixture, and what
// tests may.
package dialecttest
