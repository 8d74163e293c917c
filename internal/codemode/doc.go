// Package codemode reads the scripts that Codex's code mode has a model write in
// place of tool calls: JavaScript that calls the tools as members of an object
// named tools. (Codex 0.171.0.)
//
// Start with [Commands]. The package may import the standard library and
// tdewolff/parse.
package codemode
