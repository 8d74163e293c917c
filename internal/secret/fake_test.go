package secret

import (
	"encoding/base64"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// No key of these tests is one, and none is written out: bodies come from a
// seeded generator, prefixes are put before them at run time, so that scanners
// of repositories find nothing here.

// fake returns n characters of an alphabet as chance has them.
func fake(n int, alphabet class) string {
	r := rand.New(rand.NewPCG(uint64(n), uint64(alphabet)))
	set := members(alphabet)
	var b strings.Builder
	for b.Len() < n {
		b.WriteByte(set[r.IntN(len(set))])
	}
	return b.String()
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

func fakeJWT() string {
	return encode(`{"alg":"HS256","typ":"JWT"}`) + "." + encode(`{"sub":"someone","iat":1700000000}`) + "." + fake(43, url64)
}

func fakeJWE() string {
	return encode(`{"alg":"dir","enc":"A256GCM"}`) + ".." + fake(16, url64) + "." + fake(60, url64) + "." + fake(22, url64)
}

// fakePEM is a private key with lines joined by newline.
func fakePEM(label, newline string) string {
	lines := []string{"-----BEGIN " + label + "-----"}
	for i := range 12 {
		lines = append(lines, fake(64, std64)[i:]+fake(i, std64))
	}
	return strings.Join(append(lines, "-----END "+label+"-----"), newline)
}

// secrets returns an example of everything that is always found, by rule.
func secrets() map[string][]string {
	hex64 := fake(64, hexLow)
	return map[string][]string{
		"anthropic-key": {
			"sk-" + "ant-api03-" + fake(93, url64) + "AA", "sk-" + "ant-oat01-" + fake(86, url64),
			"sk-" + "ant-admin01-" + fake(95, url64), "sk-" + "ant-sid01-" + fake(400, url64),
		},
		"openai-key": {
			"sk-" + "proj-" + fake(74, url64) + "T3Blbk" + "FJ" + fake(74, url64), "sk-" + "svcacct-" + fake(58, url64),
			"sk-" + fake(20, alnum) + "T3Blbk" + "FJ" + fake(20, alnum),
		},
		"openrouter-key":      {"sk-" + "or-v1-" + hex64},
		"api-key":             {"sk-" + fake(32, hexLow), "sk-" + fake(48, alnum), "sk-" + fake(22, url64)},
		"google-api-key":      {"AI" + "za" + fake(35, url64)},
		"google-oauth-secret": {"GOC" + "SPX-" + fake(28, url64)},
		"google-oauth-token":  {"ya" + "29." + fake(200, url64), "1/" + "/0" + fake(60, url64)},
		"aws-access-key":      {"AK" + "IA" + fake(16, upper|digit), "AS" + "IA" + fake(16, upper|digit)},
		"aws-bedrock-key":     {"AB" + "SK" + fake(128, std64) + "==", "bedrock-" + "api-key-" + fake(300, std64)},
		"github-token": {
			"gh" + "p_" + fake(36, alnum), "gh" + "o_" + fake(36, alnum), "gh" + "u_" + fake(36, alnum),
			"gh" + "s_" + fake(36, alnum), "gh" + "r_" + fake(76, alnum), "gh" + "s_" + fakeJWT(),
			"github" + "_pat_" + fake(22, alnum) + "_" + fake(59, alnum),
		},
		"gitlab-token": {
			"gl" + "pat-" + fake(20, url64), "gl" + "pat-" + fake(27, url64) + ".01." + fake(9, digit|lower),
			"gl" + "dt-" + fake(20, url64), "gl" + "ft-" + fake(20, url64), "gl" + "rt-" + fake(20, url64),
			"gl" + "cbt-" + fake(22, url64), "gl" + "ptt-" + fake(40, hexLow), "gl" + "imt-" + fake(25, url64),
			"gl" + "agent-" + fake(50, url64), "gl" + "oas-" + fake(64, hexLow), "gl" + "soat-" + fake(20, url64),
			"gl" + "ffct-" + fake(20, url64),
		},
		"slack-token": {
			"xox" + "b-" + fake(12, digit) + "-" + fake(13, digit) + "-" + fake(24, alnum),
			"xox" + "p-" + fake(11, digit) + "-" + fake(11, digit) + "-" + fake(32, hexLow),
			"xox" + "e-1-" + fake(146, upper|digit), "xox" + "d-" + fake(40, alnum) + "%2B1234%3D",
			"xa" + "pp-1-A" + fake(10, upper|digit) + "-" + fake(13, digit) + "-" + fake(64, hexLow),
		},
		"stripe-key":            {"sk" + "_live_" + fake(24, alnum), "rk" + "_live_" + fake(99, alnum)},
		"stripe-webhook-secret": {"wh" + "sec_" + fake(32, alnum)},
		"npm-token":             {"np" + "m_" + fake(36, alnum)},
		"pypi-token":            {"py" + "pi-AgEIcHlwaS5vcmc" + fake(150, url64)},
		"huggingface-token":     {"h" + "f_" + fake(34, lower|upper), "api" + "_org_" + fake(34, alnum)},
		"digitalocean-token":    {"do" + "p_v1_" + hex64, "do" + "o_v1_" + hex64, "do" + "r_v1_" + hex64},
		"sendgrid-key":          {"S" + "G." + fake(22, url64) + "." + fake(43, url64)},
		"twilio-key":            {"S" + "K" + fake(32, hexLow)},
		"jwt":                   {fakeJWT(), fakeJWE()},
		"private-key": {
			fakePEM("RSA PRIVATE "+"KEY", "\n"), fakePEM("PRIVATE "+"KEY", "\\n"), fakePEM("OPENSSH PRIVATE "+"KEY", "\r\n"),
			fakePEM("PGP PRIVATE "+"KEY BLOCK", "\n"), fakePEM("EC PRIVATE "+"KEY", "\n\t12\t"),
			"-----BEGIN " + "RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n" + fake(64, std64) +
				"\n-----END RSA PRIVATE " + "KEY-----",
		},
		"groq-key":        {"gs" + "k_" + fake(52, alnum)},
		"xai-key":         {"xa" + "i-" + fake(80, alnum)},
		"perplexity-key":  {"pp" + "lx-" + fake(48, alnum)},
		"replicate-token": {"r8" + "_" + fake(37, alnum)},
		"linear-key":      {"lin" + "_api_" + fake(40, alnum)},
		"notion-token":    {"nt" + "n_" + fake(46, alnum)},
		"supabase-key":    {"sb" + "p_" + fake(40, hexLow)},
		"tailscale-key":   {"ts" + "key-auth-" + fake(16, alnum) + "-" + fake(32, alnum)},
		"shopify-token":   {"shp" + "at_" + fake(32, hexLow), "shp" + "ss_" + fake(32, hexLow)},
		"vault-token":     {"hv" + "s." + fake(95, url64)},
		"grafana-token":   {"gl" + "sa_" + fake(32, alnum) + "_" + fake(8, hexLow)},
		"figma-token":     {"fi" + "gd_" + fake(40, url64)},
		"fly-token":       {"fm" + "2_" + fake(200, std64)},
		"sentry-token":    {"sntr" + "ys_" + encode(`{"iat":1700000000.1,"url":"https://x"}`) + "_" + fake(43, std64)},
		"age-key":         {"AGE-SECRET-" + "KEY-1" + fake(58, upper|digit)},
	}
}

// pot holds what means something to the rules, to make soup of.
type pot struct{ words, bodies, keys []string }

func newPot() *pot {
	p := &pot{words: []string{
		"sk-", "sk-ant-", "eyJ", "://", "https://u:", "@host", "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "xoxb-",
		"gh", "p_", "AKIA", "SK", "SG.", "authorization: Bearer ", "password=", "token: \"", "api_key=", "[redacted:", "]",
		"\\n", "\n", " ", "\"", ".", "-", "_", "=", "/", "é", "\x1b[1m", "%3D", "\xff", "\x00",
	}}
	for n := range 50 {
		for _, c := range []class{alnum, url64, hexLow, std64, upper | digit} {
			p.bodies = append(p.bodies, fake(n, c))
		}
	}
	all := secrets()
	for _, rule := range slices.Sorted(maps.Keys(all)) {
		p.keys = append(p.keys, all[rule]...)
	}
	return p
}

func (p *pot) soup(r *rand.Rand, pieces int) []byte {
	var b []byte
	for range pieces {
		from := p.words
		switch n := r.IntN(10); {
		case n >= 8:
			from = p.keys
		case n >= 6:
			from = p.bodies
		}
		b = append(b, from[r.IntN(len(from))]...)
	}
	return b
}
