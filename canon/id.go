package canon

import (
	"crypto/sha256"
	"encoding/hex"
)

// Grammar says which names or ids a dialect accepts.
type Grammar struct {
	// Max is the greatest length in bytes, at least 1.
	Max int
	// Extra lists the characters that are legal beside ASCII letters and digits.
	Extra string
	// NoDigitFirst says that the first character is no digit. An alias for an id
	// that has one there begins with _, or with x where g has no _.
	NoDigitFirst bool
}

// Legal reports whether id conforms to g; the empty id does not.
func (g Grammar) Legal(id string) bool {
	if id == "" || len(id) > g.Max || g.NoDigitFirst && isDigit(id[0]) {
		return false
	}
	for i := range len(id) {
		if !g.legalByte(id[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (g Grammar) legalByte(c byte) bool {
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) {
		return true
	}
	for i := range len(g.Extra) {
		if g.Extra[i] == c {
			return true
		}
	}
	return false
}

// aliasHash is how many hexadecimal digits an alias carries of the hash of
// what it stands for.
const aliasHash = 12

// LegalID returns id if g accepts it, else an alias: its legal characters, the
// others replaced by _, followed by _ and part of the hash of id. Where g has no
// _, it is x. The result depends on id and g alone, LegalID(LegalID(id)) is
// LegalID(id), and different ids have different aliases (where g leaves room for
// the hash).
func LegalID(id string, g Grammar) string {
	if g.Legal(id) {
		return id
	}
	fill := byte('_')
	if !g.legalByte(fill) {
		fill = 'x'
	}
	sum := sha256.Sum256([]byte(id))
	hash := hex.EncodeToString(sum[:])[:min(aliasHash, g.Max)]
	alias := make([]byte, 0, g.Max)
	if g.NoDigitFirst && id != "" && isDigit(id[0]) && 1+len(hash) < g.Max {
		alias = append(alias, fill)
	}
	for i := 0; i < len(id) && len(alias)+1+len(hash) < g.Max; i++ {
		if c := id[i]; g.legalByte(c) {
			alias = append(alias, c)
		} else {
			alias = append(alias, fill)
		}
	}
	if len(hash) < g.Max {
		alias = append(alias, fill)
	}
	alias = append(alias, hash...)
	if g.NoDigitFirst && isDigit(alias[0]) {
		alias[0] = fill // there is room for the hash alone
	}
	return string(alias)
}
