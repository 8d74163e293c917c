package tomledit_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/tomledit"
)

type settings struct {
	Provider string `toml:"model_provider"`
	Profiles map[string]struct {
		Provider string `toml:"model_provider"`
	} `toml:"profiles"`
}

func TestADocumentIsReadAsFarAsItIsAskedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		document, want, work string
		broken               bool
	}{
		"all":          {"notes = \"\"\"\nmodel_provider = \"within\"\n\"\"\"\nmodel_provider = 'local' # this\nn = 5\n[profiles.work]\nmodel_provider = \"a\\u00e9\"\n[[list]]\nx = 1\n", "local", "aé", false},
		"CRLF":         {"model_provider = \"a\"\r\n", "a", "", false},
		"nothing":      {"", "", "", false},
		"another kind": {"model_provider = 5", "", "", true},
		"no TOML":      {"model_provider = broken", "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			var s settings
			err := tomledit.Decode([]byte(tt.document), &s)
			if s.Provider != tt.want || s.Profiles["work"].Provider != tt.work || (err != nil) != tt.broken {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}
