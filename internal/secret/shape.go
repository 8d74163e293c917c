package secret

import "bytes"

// anthropic matches the rest of sk-ant-: api03, admin01, oat01 and ort01 (OAuth
// of Claude Code), sid01 and whatever comes, then some 90 characters.
func anthropic(text []byte, start, body int) (from, to int) {
	if !begins(text, start) {
		return 0, 0
	}
	return span(start, accept(text, body, url64, 24))
}

// openAI matches keys with a word for their kind (sk-proj-, sk-svcacct-,
// sk-admin-, sk-None-) and the older ones, which have T3BlbkFJ ("OpenAI" in
// base64) in the middle.
func openAI(text []byte, start, body int) (from, to int) {
	if !begins(text, start) {
		return 0, 0
	}
	rest := text[body:]
	for _, kind := range []string{"proj-", "svcacct-", "admin-", "None-"} {
		if bytes.HasPrefix(rest, []byte(kind)) {
			return span(start, accept(text, body+len(kind), url64, 32))
		}
	}
	end := run(text, body, body+reach, alnum)
	if end-body < 40 || !bytes.Contains(text[body:end], []byte("T3BlbkFJ")) {
		return 0, 0
	}
	return span(start, accept(text, body, alnum, 40))
}

func openRouter(text []byte, start, body int) (from, to int) {
	if !begins(text, start) {
		return 0, 0
	}
	return span(start, accept(text, body, alnum|hyphen, 34))
}

// unnamed matches sk- of the many vendors and gateways that took the prefix
// over. Style sheets and branch names use it too (sk-folding-cube), hence the
// digits and, with hyphens, letters of both cases.
func unnamed(text []byte, start, body int) (from, to int) {
	if !begins(text, start) {
		return 0, 0
	}
	k := kindsOf(text[body:run(text, body, body+reach, url64)])
	if k.digits < 2 || k.lower+k.upper < 4 || k.marks > 0 && (k.lower == 0 || k.upper < 2) {
		return 0, 0
	}
	return span(start, accept(text, body, url64, 20))
}

// slack matches the rest of xoxb- and its kin: numbers, hyphens and a random
// part; xoxd-, a browser's cookie, is percent-encoded base64.
func slack(text []byte, start, body int) (from, to int) {
	c := alnum | hyphen
	if text[body-2] == 'd' {
		c |= percent | pad64
	}
	if !begins(text, start) || kindsOf(text[body:run(text, body, body+reach, c)]).digits < 4 {
		return 0, 0
	}
	return span(start, accept(text, body, c, 16))
}

// slackWebhook covers the path behind https://hooks.slack.com/services/: T…/B…/….
func slackWebhook(text []byte, _, body int) (from, to int) {
	end := run(text, body, body+16, lower)
	if end == len(text) || text[end] != '/' {
		return 0, 0
	}
	switch string(text[body:end]) {
	case "services", "workflows", "triggers":
		return span(end+1, accept(text, end+1, url64|std64, 30))
	}
	return 0, 0
}

// discordWebhook covers the token of https://discord.com/api/webhooks/<id>/<token>.
func discordWebhook(text []byte, _, body int) (from, to int) {
	end := run(text, body, body+24, digit)
	if end-body < 16 || end == len(text) || text[end] != '/' {
		return 0, 0
	}
	return span(end+1, accept(text, end+1, url64, 60))
}

// sendGrid matches SG.<22>.<43>.
func sendGrid(text []byte, start, body int) (from, to int) {
	id := run(text, body, body+23, url64)
	if !begins(text, start) || id-body != 22 || id == len(text) || text[id] != '.' {
		return 0, 0
	}
	return span(start, exact(text, id+1, url64, 43, 43))
}

// sentry matches sntrys_<base64 of JSON>_<43>.
func sentry(text []byte, start, body int) (from, to int) {
	if !begins(text, start) || !bytes.HasPrefix(text[body:], []byte("eyJ")) {
		return 0, 0
	}
	return span(start, accept(text, body, pad64|underscore, 80))
}

// azure covers the value in AccountKey= and SharedAccessKey= of connection
// strings: 64 bytes in base64 (storage, Cosmos) or 32 (buses, hubs).
func azure(text []byte, _, body int) (from, to int) {
	return span(body, accept(text, body, pad64, 40))
}

// awsSecrets adds the secret keys in text[from:to], which stand near an access
// key id: 40 characters of base64 without anything that tells them but chance.
func awsSecrets(all []find, text []byte, from, to int) []find {
	for i := from; i < to; {
		if classOf(text[i])&std64 == 0 {
			i++
			continue
		}
		start := i
		if start > 0 && escaped(text[:start+1]) { // the n of \n
			start++
		}
		i = run(text, start, to+41, std64)
		if i-start != 40 || start == from && start > 0 && classOf(text[start-1])&std64 != 0 || !ends(text, i) {
			continue
		}
		if v := text[start:i]; !sample(v) && !hexOnly(v) && entropy(v) > 4.2 && mixed(v) {
			all = append(all, find{Match{"aws-secret-key", start, i}, byVendor})
		}
	}
	return all
}

// jwt matches three parts of base64url, the first two JSON objects, or the five
// of an encrypted token (RFC 7519, 7516). A part between dots begins no token of
// its own, so that a long run of dots and prefixes is read once.
func jwt(text []byte, start, body int) (from, to int) {
	if start > 0 && classOf(text[start-1])&(url64|dot) != 0 && !escaped(text[:start]) {
		return 0, 0
	}
	var ends [5]int
	n, end := 0, start
	for {
		end = run(text, end, len(text), url64)
		ends[n] = end
		n++
		if n == len(ends) || end == len(text) || text[end] != '.' {
			break
		}
		end++
	}
	header := ends[0] - start
	switch {
	case header < 15:
		return 0, 0
	case n == 5 && ends[4]-ends[3] > 16:
		return start, ends[4]
	case n < 3 || ends[2]-ends[1] <= 16:
		return 0, 0
	}
	payload := text[ends[0]+1 : ends[1]]
	if len(payload) < 10 || string(payload[:2]) != "ey" || bytes.HasPrefix(payload, []byte(johnDoe)) {
		return 0, 0
	}
	return start, ends[2]
}

// johnDoe is how the payload of jwt.io's sample begins: {"sub":"1234567890","name":"John Doe".
const johnDoe = "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9l"
