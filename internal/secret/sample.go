package secret

import (
	"bytes"
	"math"
)

// samples returns the words that mark a body as standing for a key. They are
// matched as written, and long enough to be no accident in random text.
func samples() []string {
	return []string{
		"example", "EXAMPLE", "Example", "redacted", "REDACTED", "placeholder", "PLACEHOLDER",
		"your-", "your_", "YOUR-", "YOUR_", "-here", "_here", "_HERE", "changeme", "change-me", "change_me",
		"dummy", "DUMMY", "fake-", "fake_", "FAKE_", "test-key", "test_key", "test-token", "test_token",
		"secret-key", "secret_key", "api-key", "api_key", "sample", azurite,
	}
}

// azurite is how the account key of Azure's storage emulator begins, which is
// the same everywhere.
const azurite = "Eby8vdM02xNOcqFl"

// sample reports whether a key's body is one for the eye: it says so, repeats
// one character, counts, or hardly varies.
func sample(body []byte) bool {
	if len(body) == 0 {
		return true
	}
	same, steps := 1, 0
	var seen [256]bool
	distinct := 0
	for i, b := range body {
		if !seen[b] {
			seen[b] = true
			distinct++
		}
		if i == 0 {
			continue
		}
		switch b {
		case body[i-1]:
			if same++; same >= 6 {
				return true
			}
			steps++
		case body[i-1] + 1:
			same = 1
			steps++
		default:
			same = 1
		}
	}
	if 2*steps >= len(body) || len(body) >= 16 && distinct < 7 {
		return true
	}
	for _, w := range samples() {
		if bytes.Contains(body, []byte(w)) {
			return true
		}
	}
	return false
}

// stock reports whether a password is none: a variable, a mark in a pattern, or
// one that development set-ups share.
func stock(user, pass []byte) bool {
	if len(pass) < 3 || variable(pass) || bytes.Equal(user, pass) || sample(pass) {
		return true
	}
	for _, w := range []string{
		"password", "passwd", "pass", "pwd", "secret", "token", "changeme", "postgres", "root", "admin",
		"user", "username", "test", "testing", "guest", "mysql", "redis", "mongo", "rabbitmq", "default",
		"masked", "hidden", "mypassword", "yourpassword", "x-oauth-basic", "open sesame", "bar", "...",
	} {
		if bytes.EqualFold(pass, []byte(w)) {
			return true
		}
	}
	return false
}

// variable reports whether v is filled in elsewhere: $TOKEN, ${TOKEN}, <token>,
// {token}, %s, [redacted:…], ****.
func variable(v []byte) bool {
	return has("$<{[*", v[0]) || len(v) == 2 && v[0] == '%' ||
		bytes.Contains(v, []byte("${")) || bytes.Contains(v, []byte("{{"))
}

// kinds counts the bytes of a value by kind.
type kinds struct {
	lower, upper, digits, marks int
	// turns counts changes between letters and digits and from lower to upper case
	// without a mark between: many in random text, few in names.
	turns int
}

func kindsOf(v []byte) kinds {
	var k kinds
	var last class
	for _, b := range v {
		c := classOf(b)
		switch {
		case c&lower != 0:
			k.lower++
			if last&digit != 0 {
				k.turns++
			}
		case c&upper != 0:
			k.upper++
			if last&(lower|digit) != 0 {
				k.turns++
			}
		case c&digit != 0:
			k.digits++
			if last&(lower|upper) != 0 {
				k.turns++
			}
		default:
			k.marks++
		}
		last = c
	}
	return k
}

// mixed reports whether v has letters of both cases and digits.
func mixed(v []byte) bool {
	k := kindsOf(v)
	return k.lower > 0 && k.upper > 0 && k.digits > 0
}

func hexOnly(v []byte) bool { return run(v, 0, len(v), hexAny) == len(v) }

// entropy returns Shannon's, in bits a byte. Random base64 of 40 characters
// has 4.7, English 3.9.
func entropy(v []byte) float64 {
	var count [256]int
	for _, b := range v {
		count[b]++
	}
	var sum float64
	for _, n := range count {
		if n > 0 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	return math.Log2(float64(len(v))) - sum/float64(len(v))
}
