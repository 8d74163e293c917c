package agent

import (
	"fmt"
	"slices"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// imageRefused says why c does not take the image, and with what text instead;
// "" if it takes it.
func (f *fitter) imageRefused(m *canon.Message, b *canon.ImageBlock, inResult bool) (text, why string) {
	switch {
	case m.Role == canon.Assistant && !inResult:
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
	}
	if why == "" {
		return "", ""
	}
	return "[image left out: " + why + "]", why
}

func documentText(b *canon.DocumentBlock) string {
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
func normalize(m *canon.Media) {
	switch {
	case !m.URL.IsEmpty():
		m.MediaType = ""
	case !m.Plain.IsEmpty():
		m.MediaType = "text/plain"
	}
}
