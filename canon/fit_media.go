package canon

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// imageRefused says why c does not take the image, and with what text instead;
// "" if it takes it.
func (f *fitter) imageRefused(m *Message, b *ImageBlock, inResult bool) (text, why string) {
	switch {
	case m.Role == Assistant && !inResult:
		why = "an answer cannot hold an image there"
	case b.URL.HasPrefix("data:") || b.URL.IsEmpty() && b.Data.IsEmpty():
		why = "it has no content"
	case !b.URL.IsEmpty() && f.c.NoImageURLs:
		return fmt.Sprintf("[image at %s left out: the target takes no image by its address]", b.URL.String()),
			"the target takes no image by its address"
	case !b.URL.IsEmpty():
		return "", ""
	case b.Data.Size() > f.c.MaxImage:
		why = fmt.Sprintf("%d bytes are more than the %d that the target takes", b.Data.Size(), f.c.MaxImage)
	case !slices.Contains(f.c.ImageTypes, b.MediaType):
		why = fmt.Sprintf("the target does not take images of type %q", b.MediaType)
	case !isBase64(b.Data):
		why = "its data is not base64"
	}
	if why == "" {
		return "", ""
	}
	return "[image left out: " + why + "]", why
}

// isBase64 reports whether text has the characters of base64 alone.
func isBase64(text Text) bool {
	data, escaped := text.View()
	if escaped { // such as \/ for /
		data = text.AppendTo(nil)
	}
	for _, c := range data {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=' || c == '\n' || c == '\r') {
			return false
		}
	}
	return true
}

// imageType gives the image the media type that its data begins as: the vendors
// refuse one that says another.
func (f *fitter) imageType(m *Message, b *ImageBlock) {
	head := make([]byte, 12)
	data := []byte(b.Data.Head(16))
	n, _ := base64.StdEncoding.Decode(head, data[:min(16, len(data))])
	is := ""
	for _, x := range [...]struct{ typ, magic, at8 string }{
		{"image/png", "\x89PNG\r\n\x1a\n", ""}, {"image/jpeg", "\xff\xd8\xff", ""}, {"image/gif", "GIF8", ""}, {"image/webp", "RIFF", "WEBP"},
	} {
		if text := string(head[:n]); strings.HasPrefix(text, x.magic) && (x.at8 == "" || strings.HasSuffix(text, x.at8)) {
			is = x.typ
		}
	}
	if is == "" || is == b.MediaType {
		return
	}
	f.r.Change(m, string(KindImage), Renamed, fmt.Sprintf("its data is of type %s, and not %q", is, b.MediaType))
	b.MediaType = is
}

func documentText(b *DocumentBlock) string {
	switch {
	case !b.Plain.IsEmpty():
		return b.Plain.String()
	case b.Name != "" && !b.URL.IsEmpty():
		return fmt.Sprintf("[document %s at %s left out: the target does not take it]", b.Name, b.URL.String())
	case b.Name != "":
		return fmt.Sprintf("[document %s left out: the target does not take it]", b.Name)
	case !b.URL.IsEmpty():
		return fmt.Sprintf("[document at %s left out: the target does not take it]", b.URL.String())
	}
	return "[document left out: the target does not take it]"
}

// normalize gives m the media type that follows from its form: every dialect
// leaves it out of a reference, and a plain text can have no other.
func normalize(m *Media) {
	switch {
	case !m.URL.IsEmpty():
		m.MediaType = ""
	case !m.Plain.IsEmpty():
		m.MediaType = "text/plain"
	}
}
