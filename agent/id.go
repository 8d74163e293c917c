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
