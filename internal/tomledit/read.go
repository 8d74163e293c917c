package tomledit

import "github.com/pelletier/go-toml/v2"

// String returns the string that the document has under the keys, which lead
// through tables; "" if there is none or the document is no TOML.
func String(document []byte, keys ...string) string {
	var at any
	if err := toml.Unmarshal(document, &at); err != nil {
		return ""
	}
	for _, k := range keys {
		table, ok := at.(map[string]any)
		if !ok {
			return ""
		}
		at = table[k]
	}
	s, _ := at.(string)
	return s
}
