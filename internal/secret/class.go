package secret

// class is a set of kinds of bytes. Alphabets of keys are unions of them.
type class uint16

const (
	hexLower   class = 1 << iota // a-f
	restLower                    // g-z
	hexUpper                     // A-F
	restUpper                    // G-Z
	digit                        // 0-9
	underscore                   // _
	hyphen                       // -
	dot                          // .
	plus                         // +
	slash                        // /
	equals                       // =
	tilde                        // ~
	percent                      // %
)

const (
	lower  = hexLower | restLower
	upper  = hexUpper | restUpper
	alnum  = lower | upper | digit
	word   = alnum | underscore
	hexLow = hexLower | digit
	hexAny = hexLower | hexUpper | digit
	url64  = word | hyphen               // the alphabet of base64url, RFC 4648 section 5
	std64  = alnum | plus | slash        // of base64, section 4
	pad64  = std64 | equals              // with padding
	bearer = url64 | pad64 | dot | tilde // token68 of RFC 9110 section 11.2
)

func classOf(b byte) class {
	switch {
	case 'a' <= b && b <= 'f':
		return hexLower
	case 'g' <= b && b <= 'z':
		return restLower
	case 'A' <= b && b <= 'F':
		return hexUpper
	case 'G' <= b && b <= 'Z':
		return restUpper
	case '0' <= b && b <= '9':
		return digit
	}
	switch b {
	case '_':
		return underscore
	case '-':
		return hyphen
	case '.':
		return dot
	case '+':
		return plus
	case '/':
		return slash
	case '=':
		return equals
	case '~':
		return tilde
	case '%':
		return percent
	}
	return 0
}

// reach is how far a candidate is read before it is accepted. It bounds the work
// that text full of prefixes can cause; an accepted one is read to its end.
const reach = 128

// run returns where the bytes of c that begin at from end, at most at limit.
func run(text []byte, from, limit int, c class) int {
	limit = min(limit, len(text))
	for from < limit && classOf(text[from])&c != 0 {
		from++
	}
	return from
}

// begins reports whether a word may begin at start: the byte before belongs to
// no word, or it ends an escape. Session text is full of JSON in JSON, where a
// key at the start of a line is preceded by the letter n.
func begins(text []byte, start int) bool {
	return start == 0 || classOf(text[start-1])&word == 0 || escaped(text[:start])
}

// escaped reports whether b ends with an escape: \n and the like, \x1b, \u001b,
// %3D, or the colour of a terminal (ESC [ 1 ; 31 m).
func escaped(b []byte) bool {
	n := len(b)
	last := b[n-1]
	if n >= 2 && b[n-2] == '\\' && has("nrtbfv0", last) {
		return true
	}
	if classOf(last)&hexAny != 0 {
		return n >= 3 && b[n-3] == '%' ||
			n >= 4 && b[n-4] == '\\' && b[n-3] == 'x' ||
			n >= 6 && b[n-6] == '\\' && b[n-5] == 'u'
	}
	if last != 'm' {
		return false
	}
	i := n - 2
	for i >= 0 && n-i < 16 && (classOf(b[i]) == digit || b[i] == ';') {
		i--
	}
	return i >= 1 && b[i] == '[' && b[i-1] == 0x1b
}

// ends reports whether a word may end before end.
func ends(text []byte, end int) bool {
	return end == len(text) || classOf(text[end])&word == 0
}
