package agent

import (
	_ "embed"

	"github.com/goccy/go-yaml"
)

//go:embed names.yaml
var namesYAML []byte

// DisplayName returns what people call the agent with this id; the id itself if
// nobody knows.
func DisplayName(id string) string {
	var names map[string]string
	if err := yaml.UnmarshalWithOptions(namesYAML, &names, yaml.Strict()); err == nil && names[id] != "" {
		return names[id]
	}
	return id
}
