// Command man writes the manual pages of every command to docs/man. Run it from
// the module's root:
//
//	go run ./internal/cli/cmd/man
//
// What it writes depends on the commands alone, not on the day. It may import
// internal/cli, handoff for the version, cobra and pflag.
package main
