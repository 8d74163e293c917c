// Package agent is the contract between Crosswalk and a coding agent: where
// its sessions lie, how one is read as a stream of canon messages, and how one
// is written so that the real client resumes it.
//
// Adapters are in agent/<id>, listed by hand in agent/all, and held to the one
// suite in agent/agenttest. What is only data about an agent stands in its
// manifest.yaml. What an agent lacks is an optional interface that its adapter
// does not implement.
//
// Start with [Agent]. The package may import canon, internal/jsonl, internal/jsonx,
// internal/atomicfile, internal/uuid and github.com/goccy/go-yaml. Its API is not
// stable.
package agent
