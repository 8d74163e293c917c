package secret

import (
	"slices"
	"strings"
	"testing"
)

func TestValuesWithATellingNameAreFoundInDepth(t *testing.T) {
	v, hexes := fake(24, alnum), fake(64, hexLow)
	for text, want := range map[string]string{
		"DB_PASSWORD=" + v:                       "assigned-password: " + v,
		"dbPassword: '" + v + "'":                "assigned-password: " + v,
		`"passwd" : "` + v + `",`:                "assigned-password: " + v,
		`\"password\":\"` + v + `\"`:             "assigned-password: " + v,
		"PGPASSPHRASE = " + v:                    "assigned-password: " + v,
		"DB_PASS=" + v:                           "assigned-password: " + v,
		"pwd=" + v + "&x=1":                      "assigned-password: " + v,
		"mysql --password " + v:                  "assigned-password: " + v,
		"<password>" + v + "</password>":         "assigned-password: " + v,
		`<add key="Password" value="x"/>`:        "",
		"password: Tr0ub4" + "dor&3x":            "assigned-password: Tr0ub4" + "dor&3x",
		"client_secret=" + v + ";":               "assigned-secret: " + v,
		"SECRET_KEY_BASE: " + hexes:              "assigned-secret: " + hexes,
		`credentials => "` + v + `"`:             "assigned-secret: " + v,
		"token := `" + v + "`":                   "assigned-token: " + v,
		`set("token", "` + v + `")`:              "assigned-token: " + v,
		"if token == \"" + v + "\" {":            "assigned-token: " + v,
		"api_key=" + v:                           "assigned-key: " + v,
		"x-api-key: " + v:                        "assigned-key: " + v,
		"apiKey: \"" + v + "\"":                  "assigned-key: " + v,
		"secretAccessKey: " + fake(40, std64):    "assigned-key: " + fake(40, std64),
		"ENCRYPTION_KEY=" + hexes:                "assigned-key: " + hexes,
		"aws_session_token=" + fake(1000, std64): "assigned-token: " + fake(1000, std64),
		"token: " + fake(5000, alnum):            "assigned-token: " + fake(5000, alnum),
		"public_key=" + v:                        "",
		"cache key: " + v:                        "",
		"password_hash=" + v:                     "",
		"tokenizer: " + v:                        "",
		"the token, as " + v:                     "",
		"token=" + fake(12, hexLow):              "",
		"password: correct-horse-battery-staple": "",
	} {
		var list []string
		if want != "" {
			list = []string{want}
		}
		if got := found(New(Options{Deep: true}), text); !slices.Equal(got, list) {
			t.Errorf("deep Find(%q)\n got %q\nwant %q", text, got, list)
		}
		if got := found(New(Options{}), text); got != nil {
			t.Errorf("Find(%q) = %q without Deep", text, got)
		}
	}
}

func TestKeywordsCountNearAFind(t *testing.T) {
	hit := "gh" + "p_" + fake(36, alnum)
	pass := fake(24, alnum)
	far := strings.Repeat(" nothing here.", 60) // 840 bytes
	for name, test := range map[string]struct {
		text   string
		window int
		want   []string
	}{
		"before":              {"DB_PASSWORD=" + pass + "\nTOKEN=" + hit, 0, []string{"assigned-password: " + pass, "github-token: " + hit}},
		"behind":              {hit + "\nDB_PASSWORD=" + pass, 0, []string{"github-token: " + hit, "assigned-password: " + pass}},
		"too far":             {hit + far + "\nDB_PASSWORD=" + pass, 0, []string{"github-token: " + hit}},
		"in a wider window":   {hit + far + "\nDB_PASSWORD=" + pass, 1000, []string{"github-token: " + hit, "assigned-password: " + pass}},
		"between two finds":   {hit + far[:420] + " DB_PASSWORD=" + pass + far[:420] + " " + hit, 0, []string{"github-token: " + hit, "assigned-password: " + pass, "github-token: " + hit}},
		"reaching outside":    {hit + far[:406] + " password=" + fake(900, alnum), 0, []string{"github-token: " + hit, "assigned-password: " + fake(900, alnum)}},
		"the find is a value": {"password=" + hit, 0, []string{"github-token: " + hit}},
	} {
		if got := found(New(Options{Window: test.window}), test.text); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

func TestAnAWSSecretIsFoundNearItsAccessKey(t *testing.T) {
	id, key := "AK"+"IA"+fake(16, upper|digit), fake(40, std64)
	far := strings.Repeat(" nothing here.", 60)
	both := []string{"aws-access-key: " + id, "aws-secret-key: " + key}
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"a table":       {id + "\t" + key + "\n", both},
		"a profile":     {"aws_access_key_id = " + id + "\naws_secret_access_key = " + key, both},
		"JSON in JSON":  {`{\"id\":\"` + id + `\",\"s\":\"` + key + `\"}`, both},
		"escaped lines": {id + `\n` + key + `\n`, both},
		"secret first":  {key + " " + id, []string{"aws-secret-key: " + key, "aws-access-key: " + id}},
		"too far":       {id + far + " " + key, both[:1]},
		"a commit":      {id + " " + fake(40, hexLow), both[:1]},
		"longer":        {id + " " + key + "A", both[:1]},
		"a path":        {id + " src/components/navigation/sidebar2/Panes1", both[:1]},
		"no access key": {"secret is " + key, nil},
	} {
		for _, deep := range []bool{false, true} {
			if got := found(New(Options{Deep: deep}), test.text); !slices.Equal(got, test.want) {
				t.Errorf("%s, deep %v:\n got %q\nwant %q", name, deep, got, test.want)
			}
		}
	}
}
