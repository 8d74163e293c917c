package codex

import (
	_ "embed"

	"github.com/crosswalk-agents/crosswalk/agent"
)

//go:embed manifest.yaml
var manifest []byte

// ID is the adapter's id.
const ID = "codex"

// Agent is Codex. It implements [agent.Writer].
type Agent struct{}

// New returns the adapter.
func New() *Agent { return &Agent{} }

// Manifest implements [agent.Agent].
func (*Agent) Manifest() (*agent.Manifest, error) { return agent.ParseManifest(ID, manifest) }
