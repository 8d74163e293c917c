package uuid

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// New returns a fresh UUID of version 7 made at now.
func New(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[6:]) // never fails
	stamp(&b, now)
	return format(b, 7)
}

// Derive returns the UUID that follows from seed, of version 8: made in a way of
// our own.
func Derive(seed []byte) string {
	sum := sha256.Sum256(seed)
	return format([16]byte(sum[:16]), 8)
}

// DeriveAt is Derive for a UUID that sorts by time, as one of version 7 does.
func DeriveAt(now time.Time, seed []byte) string {
	sum := sha256.Sum256(seed)
	b := [16]byte(sum[:16])
	stamp(&b, now)
	return format(b, 8)
}

// stamp begins b with the milliseconds of now.
func stamp(b *[16]byte, now time.Time) {
	ms := now.UnixMilli()
	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
}

func format(b [16]byte, version byte) string {
	b[6] = b[6]&0x0F | version<<4
	b[8] = b[8]&0x3F | 0x80
	var s [36]byte
	at := 0
	for i, group := range [...][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if i > 0 {
			s[at] = '-'
			at++
		}
		at += hex.Encode(s[at:], group)
	}
	return string(s[:])
}

// Valid reports whether s is a UUID in its usual form, of any version and in
// letters of either case.
func Valid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		if dash != (c == '-') || !dash && !hex {
			return false
		}
	}
	return true
}
