package secret

import (
	"bytes"
	"encoding/base64"
)

// pem covers a private key from its BEGIN line to its END line or, if that was
// cut off, to the end of the text. Code that only names the line is no key: a
// run of base64 must follow within the next lines (past the headers of
// encrypted and PGP keys, line numbers, quotes, \n).
func pem(text []byte, start, body int) (from, to int) {
	rest := text[body:]
	label, after, ok := bytes.Cut(rest[:min(len(rest), 64)], []byte("-----"))
	if !ok || !privateKey(label) {
		return 0, 0
	}
	after = rest[len(rest[:min(len(rest), 64)])-len(after):]
	if !longRun(after[:min(len(after), 512)], 40) {
		return 0, 0
	}
	for {
		_, tail, ok := bytes.Cut(after, []byte("-----END "))
		if !ok {
			return start, len(text)
		}
		label, _, ok = bytes.Cut(tail[:min(len(tail), 64)], []byte("-----"))
		if ok && privateKey(label) {
			return start, len(text) - len(tail) + len(label) + len("-----")
		}
		after = tail
	}
}

func privateKey(label []byte) bool {
	for _, b := range label {
		if classOf(b)&(upper|digit) == 0 && b != ' ' {
			return false
		}
	}
	return bytes.HasSuffix(label, []byte("PRIVATE KEY")) || bytes.HasSuffix(label, []byte("PRIVATE KEY BLOCK"))
}

// longRun reports whether b has n characters of base64 in a row.
func longRun(b []byte, n int) bool {
	for i := 0; i < len(b); i++ {
		end := run(b, i, len(b), pad64)
		if end-i >= n {
			return true
		}
		i = end
	}
	return false
}

// urlPassword covers pass in scheme://user:pass@host.
func urlPassword(text []byte, _, body int) (from, to int) {
	colon, at := 0, 0
	for i, b := range text[body:min(len(text), body+512)] {
		if b == ':' && colon == 0 {
			colon = body + i
		}
		if b == '@' {
			at = body + i // the last one: a password may hold others, unescaped
		}
		if endsUserinfo(b) {
			break
		}
	}
	if colon == 0 || at < colon || at+1 == len(text) || classOf(text[at+1])&alnum == 0 && !has("[{$%<", text[at+1]) {
		return 0, 0
	}
	// What masked a user has colons.
	if user := text[body:colon]; bytes.HasSuffix(user, []byte(opening[:len(opening)-1])) || stock(user, text[colon+1:at]) {
		return 0, 0
	}
	return colon + 1, at
}

// endsUserinfo reports whether b stands in no user name or password, not even
// in one that should have been escaped.
func endsUserinfo(b byte) bool {
	switch b {
	case '/', '?', '#', '"', '\'', '`', '<', '>', '\\', ')', '|', '^', 0x7f:
		return true
	}
	return b <= ' '
}

// authorization covers the credentials behind an Authorization header's name,
// however that is written: a header line, a map's literal, an argument.
func authorization(text []byte, _, body int) (from, to int) {
	i := body
	for i < len(text) && i < body+16 && classOf(text[i])&word == 0 {
		i++
	}
	scheme := run(text, i, i+8, lower|upper)
	if scheme+1 >= len(text) || text[scheme] != ' ' {
		return 0, 0
	}
	value := scheme + 1
	for value < len(text) && value < scheme+4 && text[value] == ' ' {
		value++
	}
	switch {
	case bytes.EqualFold(text[i:scheme], []byte("basic")):
		return basic(text, value)
	case bytes.EqualFold(text[i:scheme], []byte("bearer")), bytes.EqualFold(text[i:scheme], []byte("token")):
		if v := text[value:run(text, value, value+reach, bearer)]; len(v) >= 16 && random(v) {
			return span(value, accept(text, value, bearer, 16))
		}
	}
	return 0, 0
}

// basic decodes user:password to see whether there is a password worth hiding.
func basic(text []byte, value int) (from, to int) {
	end := run(text, value, value+reach, pad64)
	if end-value < 8 {
		return 0, 0
	}
	var plain [reach]byte
	n, err := base64.RawStdEncoding.Decode(plain[:], bytes.TrimRight(text[value:end], "="))
	if err != nil {
		return 0, 0
	}
	user, pass, ok := bytes.Cut(plain[:n], []byte(":"))
	if !ok || stock(user, pass) {
		return 0, 0
	}
	return value, run(text, end, len(text), pad64)
}
