package secret

import (
	"slices"
	"strings"
	"testing"
)

// found lists what a finder sees as "rule: secret".
func found(f *Finder, text string) []string {
	var out []string
	for _, m := range f.Find([]byte(text)) {
		out = append(out, m.Rule+": "+text[m.Start:m.End])
	}
	return out
}

func TestKeysOfVendorsAreFoundWhereverAWordBegins(t *testing.T) {
	f := New(Options{})
	places := map[string][2]string{
		"alone":              {"", ""},
		"a shell variable":   {"export KEY=", "\n"},
		"quotes":             {`key: "`, `",`},
		"JSON in JSON":       {`{\"key\":\"`, `\"}`},
		"an escaped newline": {`A=1\n`, `\nB=2`},
		"a terminal colour":  {"\x1b[01;31m", "\x1b[0m"},
		"a percent escape":   {"x%3D", "%26y"},
		"a JSON escape":      {`\u003d`, `\u0026`},
		"a Markdown cell":    {"| `", "` |"},
		"Chinese prose":      {"密钥是", "。"},
		"the end":            {"the key is ", ". Keep it."},
	}
	for rule, keys := range secrets() {
		for i, key := range keys {
			for place, around := range places {
				if strings.HasPrefix(key, "xoxd-") && place == "a percent escape" {
					continue // percent signs are in its alphabet
				}
				t.Run(rule+"/"+string(rune('a'+i))+"/"+place, func(t *testing.T) {
					for pad := range 13 { // every alignment to the filter's stride
						text := strings.Repeat("~", pad) + " " + around[0] + key + around[1]
						if place == "alone" {
							text = key
						}
						if got := found(f, text); !slices.Equal(got, []string{rule + ": " + key}) {
							t.Fatalf("Find(%q)\n got %q\nwant %s: %s", text, got, rule, key)
						}
						if source := sourceOf(t, []byte(text)); !f.Suspects(source) {
							t.Fatalf("Suspects(%q) = false", source)
						}
					}
				})
			}
		}
	}
}

func TestKeysInsideLongerWordsAreNotFound(t *testing.T) {
	f := New(Options{})
	for rule, keys := range secrets() {
		if rule == "private-key" {
			continue
		}
		for _, key := range keys {
			if got := found(f, "prefix_x"+key); got != nil {
				t.Errorf("%s: in the middle of a word: %q", rule, got)
			}
		}
	}
	for name, text := range map[string]string{
		"too long":              "AK" + "IA" + fake(17, upper|digit),
		"too short":             "gh" + "p_" + fake(30, alnum),
		"goes on":               "AI" + "za" + fake(36, url64),
		"an underscore follows": "np" + "m_" + fake(36, alnum) + "_x",
		"wrong alphabet":        "do" + "p_v1_" + fake(63, hexLow) + "z",
	} {
		if got := found(f, text); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWhatOnlyLooksLikeAKeyIsNotFound(t *testing.T) {
	f := New(Options{Deep: true})
	for name, text := range map[string]string{
		"AWS's documentation":      "AK" + "IAIOSFODNN7EXAMPLE and wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
		"jwt.io's sample":          encode(`{"alg":"HS256","typ":"JWT"}`) + "." + johnDoe + "IiwiaWF0IjoxNTE2MjM5MDIyfQ." + fake(43, url64),
		"an unsigned token":        encode(`{"alg":"none","typ":"JWT"}`) + "." + encode(`{"sub":"someone","iat":1}`) + ".",
		"Azurite's key":            "AccountKey=" + azurite + fake(68, std64) + "==",
		"repetition":               "sk-" + "ant-api03-" + strings.Repeat("x", 95),
		"alphabet":                 "gh" + "p_abcdefghijklmnopqrstuvwxyz0123456789",
		"counting":                 "sk-" + "1234567890abcdef1234567890abcdef",
		"your key":                 "sk-" + "ant-api03-your-key-goes-here-1234567890",
		"angle brackets":           "ANTHROPIC_API_KEY=<your-key>",
		"asterisks":                "password=**************** token=sk-****************",
		"a variable":               `Authorization: Bearer ${GITHUB_TOKEN}`,
		"a placeholder word":       "Authorization: Bearer your-access-token-here",
		"a prose header":           "Authorization: Basic authentication is described below",
		"RFC 7617's sample":        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
		"a style sheet's class":    ".sk-folding-cube .sk-cube2:before #sk-container-id-1 div.sk-text-repr-fallback",
		"a branch":                 "git switch task-sk-20240101-fix-the-thing-in-the-parser",
		"code about PEM":           `strings.Contains(s, "-----BEGIN RSA PRIVATE KEY-----") && !strings.HasPrefix(s, "x")`,
		"a shortened PEM":          "-----BEGIN PRIVATE KEY-----\nMIIE...\n-----END PRIVATE KEY-----",
		"a public key":             "-----BEGIN PUBLIC " + "KEY-----\n" + fake(64, std64) + "\n-----END PUBLIC KEY-----",
		"a certificate":            "-----BEGIN CERTIFICATE-----\n" + fake(64, std64) + "\n-----END CERTIFICATE-----",
		"a webhook of the docs":    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
		"a UUID":                   "token: 3f2504e0-4f89-41d3-9a0c-0305e82c3301 session_id=3f2504e0-4f89-41d3-9a0c-0305e82c3301",
		"a commit":                 "commit " + fake(40, hexLow) + "\ntree " + fake(40, hexLow),
		"digests":                  "sha256:" + fake(64, hexLow) + " token: sha512-" + fake(86, std64) + "==",
		"a module sum":             "h1:" + fake(43, std64) + "= token=h1:" + fake(43, std64) + "=",
		"ids of calls":             `"token": "toolu_01` + fake(22, alnum) + `", token=call_` + fake(24, alnum) + " secret: msg_01" + fake(22, alnum),
		"an image":                 `"token": "iVBORw0KGgo` + fake(2000, std64) + `"`,
		"base64":                   "data:image/png;base64," + fake(4000, std64),
		"an expression":            `password = os.environ["DB_PASSWORD_2"]; token = getToken2(user1); secret: process.env.APP_SECRET_2`,
		"a type":                   "token: string, password?: string | undefined, api_key: Optional[str] = None",
		"a count":                  "max_tokens: 409600000, token_count=1234567890",
		"an address":               "token_url: https://login.example.org/oauth2/v2.0/token",
		"a path":                   "key_file=/home/user/.ssh/id_rsa2 secret_key: /etc/ssl/private/server1.key",
		"a log":                    "PASS: TestKey (0.01s) key=2024-01-02T03:04:05Z",
		"URLs without a password":  "http://localhost:8080/@scope/pkg git@github.com:o/r.git ssh://git@host:22/x https://user@host",
		"a development database":   "postgres://postgres:postgres@localhost:5432/app redis://:password@redis:6379 amqp://guest:guest@mq",
		"a URL's pattern":          "https://${user}:${pass}@host https://<user>:<pass>@host https://%s:%s@host https://user:***@host",
		"an address behind a port": "see http://host:8080, mail me@host.org",
	} {
		if got := found(f, text); got != nil {
			t.Errorf("%s: Find(%q) = %q", name, text, got)
		}
	}
}

func TestWhatIsKeptFromPlaceAloneIsFound(t *testing.T) {
	basic := "dXNlcjp" + "0cjB1YjRkb3I=" // user:tr0ub4dor
	long := fake(40, alnum)
	account := fake(86, std64) + "=="
	for name, test := range map[string]struct{ text, rule, secret string }{
		"a database":            {"postgres://app:s3cr3tpw@db/x", "url-password", "s3cr3tpw"},
		"no user":               {`"redis://:p4ss-w0rd@cache:6379"`, "url-password", "p4ss-w0rd"},
		"an at in a password":   {"mongodb+srv://u:p@ss99@h1,h2/x", "url-password", "p@ss99"},
		"a header":              {"Authorization: Bearer " + long, "authorization", long},
		"curl":                  {`curl -H "authorization: bearer ` + long + `" https://x`, "authorization", long},
		"a map":                 {`headers = {"Authorization": "Bearer ` + long + `"}`, "authorization", long},
		"an argument":           {`req.Header.Set("Authorization", "Bearer ` + long + `")`, "authorization", long},
		"an element":            {`headers["Authorization"] = 'token ` + long + `'`, "authorization", long},
		"escaped":               {`\"Authorization\": \"Bearer ` + long + `\"`, "authorization", long},
		"user and password":     {"Authorization: Basic " + basic, "authorization", basic},
		"a long bearer":         {"Authorization: Bearer " + fake(3000, alnum), "authorization", fake(3000, alnum)},
		"a connection string":   {"AccountName=x;AccountKey=" + account + ";Suffix=y", "azure-account-key", account},
		"a bus":                 {"SharedAccessKey=" + fake(43, std64) + "=", "azure-access-key", fake(43, std64) + "="},
		"a webhook":             {"https://hooks.slack.com/services/T0" + fake(9, upper|digit) + "/B0" + fake(9, upper|digit) + "/" + fake(24, alnum), "slack-webhook", "T0" + fake(9, upper|digit) + "/B0" + fake(9, upper|digit) + "/" + fake(24, alnum)},
		"another webhook":       {"https://discord.com/api/webhooks/" + fake(18, digit) + "/" + fake(68, url64), "discord-webhook", fake(68, url64)},
		"a vendor's key inside": {"Authorization: Bearer gh" + "p_" + fake(36, alnum), "github-token", "gh" + "p_" + fake(36, alnum)},
		"a key for a password":  {"https://x-access-token:gh" + "s_" + fake(36, alnum) + "@github.com/o/r", "github-token", "gh" + "s_" + fake(36, alnum)},
		"a session token":       {"Authorization: Bearer " + fakeJWT(), "jwt", fakeJWT()},
	} {
		if got := found(New(Options{}), test.text); !slices.Equal(got, []string{test.rule + ": " + test.secret}) {
			t.Errorf("%s: Find(%q)\n got %q\nwant %s: %s", name, test.text, got, test.rule, test.secret)
		}
	}
}

func TestAPrivateKeyGoesToItsEnd(t *testing.T) {
	key := fakePEM("PRIVATE "+"KEY", "\n")
	cut := key[:len(key)-40]
	f := New(Options{})
	for name, test := range map[string][2]string{
		"its END line":               {"a\n" + key + "\nb", key},
		"the end of a torn text":     {"a\n" + cut, cut},
		"its own END, not another's": {key + "\n-----BEGIN CERTIFICATE-----\n" + fake(64, std64), key},
		"an END behind a certificate's": {
			cut + "\n-----END CERTIFICATE-----\n-----END PRIVATE " + "KEY-----.", cut + "\n-----END CERTIFICATE-----\n-----END PRIVATE " + "KEY-----",
		},
		"100 KB": {fakePEM("PRIVATE "+"KEY", "\n"+fake(64, std64)+"\n"+strings.Repeat("Ab1\n", 2000)), fakePEM("PRIVATE "+"KEY", "\n"+fake(64, std64)+"\n"+strings.Repeat("Ab1\n", 2000))},
	} {
		if got := found(f, test[0]); !slices.Equal(got, []string{"private-key: " + test[1]}) {
			t.Errorf("%s: got %.300q", name, got)
		}
	}
}
