package secret

import "slices"

// Names of rules that are spoken of elsewhere.
const (
	awsAccessKey   = "aws-access-key"
	privateKeyRule = "private-key"
)

// Weights of rules: a vendor's key in a header is called by the vendor's name.
const (
	byKeyword = iota
	byPlace
	byVendor
)

// shape is a key that a prefix and the length and alphabet of its body tell.
type shape struct {
	rule, prefix string
	// core is the offset in the prefix of its four rarest bytes.
	core int
	body class
	// min and max are the body's length; 0 means that there is no most. Where the
	// vendor only promises a prefix, min is what excludes words.
	min, max int
}

// shapes returns the vendors' keys. Prefixes, alphabets and lengths are the
// published ones: of the vendors' documentation and, where that is silent, the
// rules of gitleaks and of GitHub's secret scanning.
func shapes() []shape {
	return []shape{
		{"google-api-key", "AIza", 0, url64, 35, 35},
		{"google-oauth-secret", "GOCSPX-", 3, url64, 28, 28},
		{"google-oauth-token", "ya29.", 0, url64 | dot, 30, 0},
		{"google-oauth-token", "1//0", 0, url64, 40, 0},
		{awsAccessKey, "A[KS]IA", 0, upper | digit, 16, 16},
		{"aws-bedrock-key", "ABSK", 0, pad64, 100, 0},
		{"aws-bedrock-key", "bedrock-api-key-", 5, pad64, 40, 0},
		// 36 since 2021, up to 255 announced; ghs_ may also be followed by a JWT
		// (PSModule/GitHub#603).
		{"github-token", "gh[opru]_", 0, word, 36, 0},
		{"github-token", "ghs_", 0, url64 | dot, 36, 0},
		{"github-token", "github_pat_", 4, word, 60, 0},
		// A routable token ends with .<length><checksum>.
		{"gitlab-token", "glpat-", 0, url64 | dot, 20, 0},
		{"gitlab-token", "gl[dfr]t-", 0, url64 | dot, 20, 0},
		{"gitlab-token", "glcbt-", 0, url64 | dot, 20, 0},
		{"gitlab-token", "glptt-", 2, url64, 20, 0},
		{"gitlab-token", "glimt-", 2, url64, 20, 0},
		{"gitlab-token", "glagent-", 0, url64, 20, 0},
		{"gitlab-token", "gloas-", 2, url64, 20, 0},
		{"gitlab-token", "glsoat-", 1, url64, 20, 0},
		{"gitlab-token", "glffct-", 0, url64, 20, 0},
		{"slack-token", "xapp-[0-9]-", 2, alnum | hyphen, 20, 0},
		{"stripe-key", "[rs]k_live_", 0, alnum, 16, 0},
		{"stripe-webhook-secret", "whsec_", 1, pad64, 32, 0},
		{"npm-token", "npm_", 0, alnum, 36, 36},
		{"pypi-token", "pypi-AgE", 2, url64, 50, 0},
		{"huggingface-token", "hf_", 0, alnum, 30, 0},
		{"huggingface-token", "api_org_", 1, alnum, 34, 34},
		{"digitalocean-token", "do[opr]_v1_", 3, hexLow, 64, 64},
		{"twilio-key", "SK", 0, hexLow, 32, 32},
		{"groq-key", "gsk_", 0, alnum, 40, 0},
		{"xai-key", "xai-", 0, alnum, 70, 0},
		{"perplexity-key", "pplx-", 1, alnum, 40, 0},
		{"replicate-token", "r8_", 0, alnum, 37, 37},
		{"linear-key", "lin_api_", 2, alnum, 40, 40},
		{"notion-token", "ntn_", 0, alnum, 40, 50},
		{"supabase-key", "sbp_", 0, hexLow, 40, 40},
		{"tailscale-key", "tskey-", 2, alnum | hyphen, 20, 0},
		{"shopify-token", "shpat_", 0, hexAny, 32, 32},
		{"shopify-token", "shpss_", 1, hexAny, 32, 32},
		{"vault-token", "hvs.", 0, url64, 24, 0},
		{"grafana-token", "glsa_", 0, word, 41, 41},
		{"figma-token", "figd_", 1, url64, 36, 0},
		{"fly-token", "fm2_", 0, pad64, 100, 0},
		{"age-key", "AGE-SECRET-KEY-1", 8, upper | digit, 58, 58},
	}
}

// vendorAnchors returns the rules that are always on.
func vendorAnchors() []spec {
	var all []spec
	for _, s := range shapes() {
		after := ""
		if len(s.prefix) < 4 {
			after = members(s.body)
		}
		all = append(all, vendor(s.rule, s.prefix, s.core, after, s.match))
	}
	letters := members(alnum)
	return append(
		all,
		vendor("anthropic-key", "sk-ant-", 0, "", anthropic),
		vendor("openai-key", "sk-", 0, letters, openAI),
		vendor("openrouter-key", "sk-or-v", 0, "", openRouter),
		vendor("api-key", "sk-", 0, letters, unnamed),
		vendor("slack-token", "xox[abcdeoprs]-", 0, "", slack),
		vendor("slack-webhook", "hooks.slack.com/", 2, "", slackWebhook),
		vendor("discord-webhook", "/api/webhooks/", 6, "", discordWebhook),
		vendor("sendgrid-key", "SG.", 0, members(url64), sendGrid),
		vendor("sentry-token", "sntrys_", 3, "", sentry),
		vendor("azure-account-key", "[AS]ccountKey=", 6, "", azure),
		vendor("azure-access-key", "SharedAccessKey=", 10, "", azure),
		// The letter behind {" decides: every header's first name is in lower case.
		vendor("jwt", "eyJ", 0, ranges("h-z0-6"), jwt),
		vendor(privateKeyRule, "-----BEGIN ", 3, "", pem),
		spec{
			anchor: anchor{rule: "url-password", weight: byPlace, core: -1, before: ranges("a-z0-9"), match: urlPassword},
			prefix: "://",
		},
		spec{
			anchor: anchor{rule: "authorization", weight: byPlace, core: 5, match: authorization},
			prefix: "authorization", fold: true,
		},
	)
}

// sourceAnchors returns the rules that are always on, as they apply to JSON
// source.
func sourceAnchors() []spec {
	all := vendorAnchors()
	for i := range all {
		if all[i].rule == privateKeyRule {
			all[i].match = begun
		}
	}
	return append(all, spec{anchor: anchor{match: begun}, prefix: escapePrefix})
}

// begun takes what an anchor's fixed part begins for a match.
func begun(_ []byte, start, body int) (from, to int) { return start, body }

func vendor(rule, prefix string, core int, after string, match func([]byte, int, int) (int, int)) spec {
	return spec{anchor: anchor{rule: rule, weight: byVendor, core: core, after: after, match: match, whole: true}, prefix: prefix}
}

// members lists the bytes of a class.
func members(c class) string {
	var out []byte
	for b := range 128 {
		if classOf(byte(b))&c != 0 {
			out = append(out, byte(b))
		}
	}
	return string(slices.Clip(out))
}

func (s shape) match(text []byte, start, body int) (from, to int) {
	if !begins(text, start) {
		return 0, 0
	}
	if s.max > 0 {
		return span(start, exact(text, body, s.body, s.min, s.max))
	}
	return span(start, accept(text, body, s.body, s.min))
}

// exact returns the end of the body of least to most bytes at body, or 0.
func exact(text []byte, body int, c class, least, most int) int {
	end := run(text, body, body+most+1, c)
	if n := end - body; n < least || n > most || !ends(text, end) || sample(text[body:end]) {
		return 0
	}
	return end
}

// accept returns the end of the body of at least so many bytes at body, or 0 if
// it is too short, ends inside a word or is a sample. A dot at the end belongs
// to the sentence. All that can refuse a body is within reach.
func accept(text []byte, body int, c class, least int) int {
	end := run(text, body, body+reach, c)
	if end < body+least || sample(text[body:end]) {
		return 0
	}
	if end == body+reach {
		end = run(text, end, len(text), c)
	} else if !ends(text, end) {
		return 0
	}
	for end > body && text[end-1] == '.' {
		end--
	}
	if end < body+least {
		return 0
	}
	return end
}

// span is the range of an accepted body: none if it was not.
func span(from, to int) (int, int) {
	if to == 0 {
		return 0, 0
	}
	return from, to
}
