package canon

import (
	"crypto/sha256"
	"encoding/hex"
)

// Grammar says which names or ids a dialect accepts.
type Grammar struct {
	// Max is the greatest length in bytes.
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
// others replaced by _, followed by _ and part of the hash of id. The result
// depends on id and g alone, LegalID(LegalID(id)) is LegalID(id), and different
// ids have different aliases.
func LegalID(id string, g Grammar) string {
	if g.Legal(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	tail := "_" + hex.EncodeToString(sum[:])[:aliasHash]
	head := make([]byte, 0, g.Max)
	for i := 0; i < len(id) && len(head)+len(tail) < g.Max; i++ {
		if c := id[i]; g.legalByte(c) {
			head = append(head, c)
		} else {
			head = append(head, '_')
		}
	}
	return string(head) + tail
}
