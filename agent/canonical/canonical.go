package canonical

import (
	"context"
	_ "embed"
	"iter"

	"github.com/crosswalk-agents/crosswalk/agent"
)

//go:embed manifest.yaml
var manifest []byte

const (
	// ID is the adapter's id.
	ID = "crosswalk"
	// Version of the format, as the header has it.
	Version = 1
	// Dialect is that of blocks which a later version of the format wrote and
	// this one does not know.
	Dialect = ID
)

// Agent reads canonical session files. It implements [agent.Agent].
type Agent struct{}

// New returns the adapter.
func New() *Agent { return &Agent{} }

// Manifest implements [agent.Agent].
func (*Agent) Manifest() (*agent.Manifest, error) { return agent.ParseManifest(ID, manifest) }

// Sessions implements [agent.Agent]. Canonical files lie wherever a person puts
// them, so there are none to list.
func (*Agent) Sessions(context.Context, agent.Home, agent.Query) iter.Seq2[agent.Entry, error] {
	return func(func(agent.Entry, error) bool) {}
}
