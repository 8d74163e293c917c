package agent

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// NewID returns a fresh UUID of version 7 for a session made at now.
func NewID(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[6:]) // never fails
	ms := now.UnixMilli()
	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
	b[6] = b[6]&0x0F | 0x70
	b[8] = b[8]&0x3F | 0x80
	return FormatUUID(b)
}

// FormatUUID writes b as a UUID.
func FormatUUID(b [16]byte) string {
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// IsUUID reports whether s is a UUID in its usual form, of any version and in
// letters of either case.
func IsUUID(s string) bool {
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
