package secret

import (
	"strings"
	"testing"
)

func TestSecretsWrittenAsEscapesAreFoundWhereTheyStand(t *testing.T) {
	f := New(Options{})
	key := "gh" + "p_" + fake(36, alnum)
	if len(f.Find([]byte(key))) != 1 {
		t.Fatalf("%q is found by no rule", key)
	}
	for name, written := range map[string]string{
		"first character": `\u0067` + key[1:],
		"last character":  key[:len(key)-1] + `\u0064`,
		"in the middle":   strings.Replace(key, "_", `\u005F`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			text := `é "token": "` + written + `" \u00e9 \u00`
			found := f.FindEscaped([]byte(text))
			if len(found) != 1 || text[found[0].Start:found[0].End] != written {
				t.Errorf("found %+v in %s", found, text)
			}
		})
	}
	if found := f.FindEscaped([]byte(key)); found != nil {
		t.Errorf("text without escapes: %+v", found)
	}
}
