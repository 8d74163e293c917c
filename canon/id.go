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
}

// Legal reports whether id conforms to g; the empty id does not.
func (g Grammar) Legal(id string) bool {
	if id == "" || len(id) > g.Max {
		return false
	}
	for i := range len(id) {
		if !g.legalByte(id[i]) {
			return false
		}
	}
	return true
}

func (g Grammar) legalByte(c byte) bool {
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
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
	return string(append(alias, hash...))
}
