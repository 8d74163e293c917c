package secret

import "bytes"

// keywordAnchors returns the rules for values with a telling name. What stands
// before the keyword is free (DB_PASSWORD, clientSecret); what stands behind
// is checked by named.
func keywordAnchors() []spec {
	assign := " \t=:\"'`>]\\"
	return []spec{
		named("assigned-password", "passw", 0, ""),
		named("assigned-password", "passphrase", 4, ""),
		named("assigned-password", "pwd", 0, assign),
		named("assigned-password", "pass", 0, ""),
		named("assigned-secret", "secret", 0, ""),
		named("assigned-token", "token", 1, ""),
		named("assigned-secret", "credential", 2, ""),
		named("assigned-key", "key", 0, assign+"s_"),
	}
}

func named(rule, prefix string, core int, after string) spec {
	return spec{
		anchor: anchor{rule: rule, weight: byKeyword, core: core, after: after, match: assignment(prefix), whole: true},
		prefix: prefix, fold: true,
	}
}

func assignment(keyword string) func(text []byte, start, body int) (from, to int) {
	return func(text []byte, start, body int) (from, to int) {
		value, quote := separator(text, start, nameEnd(text, body))
		if value == 0 || keyword == "key" && !keyName(text[max(0, start-16):start]) || inPlaceholder(text, start) {
			return 0, 0
		}
		return assigned(text, value, quote)
	}
}

// keyName reports whether the word before "key" makes it a secret one.
func keyName(before []byte) bool {
	if n := len(before); n > 0 && has("_- ", before[n-1]) {
		before = before[:n-1]
	}
	for _, w := range []string{
		"api", "access", "secret", "private", "auth", "encryption", "signing", "account", "master", "shared",
		"service", "subscription", "license", "app", "deploy", "admin",
	} {
		if n := len(before) - len(w); n >= 0 && bytes.EqualFold(before[n:], []byte(w)) {
			return true
		}
	}
	return false
}

// inPlaceholder reports whether a keyword belongs to a rule's name in what
// [Placeholders] wrote: its tag is no value.
func inPlaceholder(text []byte, start int) bool {
	before := text[max(0, start-48):start]
	i := bytes.LastIndex(before, []byte(opening))
	return i >= 0 && run(before, i+len(opening), len(before), lower|digit|hyphen) == len(before)
}

// nameEnd skips what may follow a keyword in a name: ord, wd, s, a number,
// _key, _value, KeyBase.
func nameEnd(text []byte, i int) int {
	for {
		rest := text[i:min(len(text), i+8)]
		n := 0
		for _, w := range []string{"ord", "wd", "key", "base", "value", "s", "_", "-"} {
			if len(rest) >= len(w) && bytes.EqualFold(rest[:len(w)], []byte(w)) {
				n = len(w)
				break
			}
		}
		if n == 0 {
			n = run(rest, 0, 2, digit)
		}
		if n == 0 {
			return i
		}
		i += n
	}
}

// separator finds the value behind a name: name=, "name": ", name => ', <name>,
// ("name", ", and --name for flags. It returns where the value begins, 0 if
// there is none, and its quote, 0 if it has none.
func separator(text []byte, start, i int) (value int, quote byte) {
	name := i
	i = skip(text, i, 4, "\\\"'`]")
	i = skip(text, i, 4, " \t")
	sign := i
	i = skip(text, i, 3, ":=>,")
	if i == sign && (i == name || !bytes.Contains(text[max(0, start-24):start], []byte(" --"))) {
		return 0, 0
	}
	i = skip(text, i, 4, " \t")
	i = skip(text, i, 2, "\\")
	if i < len(text) && has("\"'`", text[i]) {
		quote = text[i]
		i++
	}
	if i == len(text) {
		return 0, 0
	}
	return i, quote
}

// skip passes at most so many bytes of a set.
func skip(text []byte, i, most int, set string) int {
	for end := min(i+most, len(text)); i < end && has(set, text[i]); {
		i++
	}
	return i
}

// assigned decides about the value that begins at from.
func assigned(text []byte, from int, quote byte) (int, int) {
	end := valueEnd(text, from, from+reach, quote)
	if quote == 0 && end < len(text) && has("([{", text[end]) || !valuable(text[from:end]) {
		return 0, 0
	}
	end = valueEnd(text, end, len(text), quote)
	for end > from+8 && has(".:", text[end-1]) {
		end--
	}
	return from, end
}

// valueEnd returns where a value ends, at most at limit. Without quotes that is
// also where a list or a query goes on: a=1&b=2.
func valueEnd(text []byte, i, limit int, quote byte) int {
	for limit = min(limit, len(text)); i < limit; i++ {
		b := text[i]
		if b <= ' ' || b >= 0x7f || has("\"'`<>\\", b) {
			break
		}
		if quote != 0 {
			continue
		}
		if has(",;|(){}[]", b) {
			break
		}
		if b == '&' {
			if name := run(text, i+1, i+32, word|hyphen); name < len(text) && text[name] == '=' {
				break
			}
		}
	}
	return i
}

// valuable reports whether a value behind a keyword seems a secret.
func valuable(v []byte) bool {
	if len(v) < 8 || variable(v) || sample(v) || identifier(v) || code(v) {
		return false
	}
	return random(v)
}

// random reports whether v seems to be made by chance rather than by people.
func random(v []byte) bool {
	k := kindsOf(v)
	if k.digits == 0 && (k.marks == 0 || k.lower == 0 || k.upper == 0) || k.lower+k.upper == 0 {
		return false
	}
	if hexOnly(v) {
		return len(v) >= 32 && k.turns >= len(v)/6
	}
	if len(v) < 16 {
		return k.turns >= 3 && entropy(v) >= 2.7
	}
	return k.turns >= max(3, len(v)/8) && entropy(v) >= 3.3
}

// identifier reports whether v names something: a UUID, a labelled digest, an
// id of a session, message or call, the data of an image.
func identifier(v []byte) bool {
	for _, p := range []string{
		"sha1", "sha256", "sha384", "sha512", "md5", "h1:", "toolu_", "call_", "msg_", "resp_", "rs_", "fc_",
		"req_", "chatcmpl-", "ses_", "prt_", "data:", "iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR",
	} {
		if bytes.HasPrefix(v, []byte(p)) {
			return true
		}
	}
	return uuid(v)
}

func uuid(v []byte) bool {
	if len(v) != 36 {
		return false
	}
	for i, b := range v {
		if c := classOf(b); c&hexAny == 0 && (c != hyphen || i != 8 && i != 13 && i != 18 && i != 23) {
			return false
		}
	}
	return true
}

// code reports whether v is an expression or an address.
func code(v []byte) bool {
	for _, p := range []string{"()", "::", "->", "=>", "...", "?.", "://"} {
		if bytes.Contains(v, []byte(p)) {
			return true
		}
	}
	// process.env.TOKEN_2, config.auth.token1
	parts := 0
	for part := range bytes.SplitSeq(v, []byte(".")) {
		if !name(part) {
			return false
		}
		parts++
	}
	return parts > 1
}

// name reports whether v is an identifier somebody thought of.
func name(v []byte) bool {
	return len(v) > 0 && classOf(v[0])&(lower|upper|underscore) != 0 &&
		run(v, 0, len(v), word) == len(v) && kindsOf(v).turns <= 3
}
