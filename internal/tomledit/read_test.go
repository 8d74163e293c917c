package tomledit_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/internal/tomledit"
)

func TestStringIsWhatTheDocumentSays(t *testing.T) {
	const document = `# settings
notes = """
model_provider = "within a text"
"""
model_provider = "local" # this one
"quoted" = 'literal \n'
number = 5
inline = { name = "in line" }

[profiles.work]
model_provider = "company"

[[list]]
x = "y"
`
	for _, tt := range []struct {
		document string
		keys     []string
		want     string
	}{
		{document, []string{"model_provider"}, "local"},
		{document, []string{"profiles", "work", "model_provider"}, "company"},
		{document, []string{"quoted"}, `literal \n`},
		{document, []string{"inline", "name"}, "in line"},
		{document, []string{"number"}, ""},
		{document, []string{"absent"}, ""},
		{document, []string{"profiles"}, ""},
		{document, []string{"list", "x"}, ""},
		{"model_provider = \"a\\u00e9\"\r\n", []string{"model_provider"}, "aé"},
		{"model_provider = broken\nx = \"y\"", []string{"x"}, ""},
		{"", []string{"x"}, ""},
	} {
		if got := tomledit.String([]byte(tt.document), tt.keys...); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.keys, got, tt.want)
		}
	}
}
