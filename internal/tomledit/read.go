package tomledit

import (
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// Decode reads a document into the struct that v points to, by the struct tags
// "toml". Keys that the struct does not have are passed over.
func Decode(document []byte, v any) error {
	if err := toml.Unmarshal(document, v); err != nil {
		return fmt.Errorf("read TOML: %w", err)
	}
	return nil
}
