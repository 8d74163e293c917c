package check

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// legalAlias returns name with every character but ASCII letters, digits, _ and -
// replaced by _, and at most so many bytes.
func legalAlias(name string, most int) string {
	if name == "" {
		return "unnamed"
	}
	b := []byte(strings.ToValidUTF8(name, "_"))
	for i := range b {
		if !wordByte(b[i]) {
			b[i] = '_'
		}
	}
	return string(b[:min(len(b), most)])
}

// legalCallID returns an id that every vendor takes in place of one that is
// refused. The same id always gives the same one, so that call and result stay
// together, and different ids give different ones.
func legalCallID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return legalAlias(id, 40) + "-" + hex.EncodeToString(sum[:4])
}

// nthCallID returns the id for the nth call named id, where nth is above 1, that
// taken does not know. Claude Code 2.1.332 takes a call id that ends in _ and
// digits for a part of the call without them, and loses its result.
func nthCallID(id string, nth int, taken func(string) bool) string {
	if len(id) > 48 {
		id = legalCallID(id)
	}
	for suffix := "-" + strconv.Itoa(nth); ; suffix += "x" {
		if !taken(id + suffix) {
			return id + suffix
		}
	}
}

// cutDataURL takes a data: URL of base64 apart.
func cutDataURL(url string) (mediaType, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	head, data, ok := strings.Cut(rest, ",")
	mediaType, base64 := strings.CutSuffix(head, ";base64")
	return mediaType, data, ok && base64
}

// baseCallID returns the id of the call that Claude Code 2.1.332 takes one of
// this id for a part of, if there is such a call; or "".
func baseCallID(id string) string {
	base := strings.TrimRight(id, "0123456789")
	if len(base) == len(id) || !strings.HasSuffix(base, "_") {
		return ""
	}
	return base[:len(base)-1]
}
