// Package secret finds likely secrets in decoded text and masks them, so that
// a session is not handed to another vendor together with the keys that were
// printed in it.
//
// It may import the standard library only.
//
// Start with [Finder]: [New] makes one, [Finder.Find] lists what it sees in a
// text, [Mask] writes the text with every find replaced. [Placeholders] makes
// replacements that are equal for equal secrets within one lineage and reveal
// nothing of them.
//
// # What is found
//
// Vendor rules look for a literal prefix followed by a body of the published
// alphabet and length: they are always on. So are private keys (PEM, age),
// JSON web tokens, passwords in URLs and Authorization headers.
//
// Keyword rules (password=, "api_key": …) look for a value that seems random
// behind a telling name. They apply to a whole text with [Options].Deep, and
// otherwise only near what another rule has found: where one key was printed,
// the rest of the configuration file is not far. An AWS secret key, which has
// no prefix, is looked for near an access key id.
//
// # What is not
//
// Text that stands for a secret is none: EXAMPLE keys of vendors'
// documentation (AKIA…EXAMPLE, the token of jwt.io, Azurite's key), repeated
// or ascending characters (xxxxxx, 12345…), <your-key>, ${TOKEN},
// and development passwords in URLs that everybody has (postgres:postgres@).
// A hand-over stops at likely secrets, so what everyone knows must not be one.
//
// Identifiers are none either: UUIDs, commit ids, labelled digests (sha256:…,
// h1:…), ids of sessions, messages and tool calls. Hexadecimal digits count
// only behind a keyword, and from 32 digits on.
//
// Not seen: secrets without a known prefix outside the reach of the keyword
// rules, secrets encoded once more (base64, percent, colours within a key),
// secrets broken over lines or texts (but PEM), passwords that are words, user
// names of URLs that are tokens of unknown vendors, PuTTY and SSH2 key files,
// and another copy of a secret at a place where no rule applies.
//
// # How
//
// A text without secrets is read once, by sampling three bytes at every
// second position (see filter): several GB/s, no allocation. Sizes are in bytes.
// Hostile text costs some hundred steps a byte, whatever its length.
package secret
