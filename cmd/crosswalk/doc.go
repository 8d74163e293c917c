// Command crosswalk hands coding-agent sessions from one agent to another. It
// may import internal/cli and internal/heap only.
package main
