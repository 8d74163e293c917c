package transcript

import (
	"bytes"
	"encoding/base64"
	"html/template"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// signatures are the types of image that a page shows, each with what its data
// begins with; a dot stands for any byte.
var signatures = [...]struct{ mediaType, begin string }{
	{"image/png", "\x89PNG\r\n\x1a\n"},
	{"image/jpeg", "\xff\xd8\xff"},
	{"image/gif", "GIF8"},
	{"image/webp", "RIFF....WEBP"},
}

// inlineImage returns an image as a data URL. ok is false unless the data is
// base64 of an image of the type that it claims to be.
func inlineImage(m *canon.Media) (url template.URL, ok bool) {
	for _, s := range signatures {
		if s.mediaType != m.MediaType {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(m.Data.String())
		if err != nil || !begins(data, s.begin) {
			return "", false
		}
		// Encoded anew it holds no character but those of base64.
		return template.URL("data:" + s.mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)), true
	}
	return "", false
}

func begins(data []byte, sign string) bool {
	if len(data) < len(sign) {
		return false
	}
	want := []byte(sign)
	for i, c := range want {
		if c == '.' {
			want[i] = data[i]
		}
	}
	return bytes.HasPrefix(data, want)
}
