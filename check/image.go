package check

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// imageTypes are the media types of the images that both vendors take, each with
// what its data begins with. (API references of Messages and Responses.)
var imageTypes = [...]struct{ name, magic, at8 string }{
	{"image/png", "\x89PNG\r\n\x1a\n", ""}, {"image/jpeg", "\xff\xd8\xff", ""}, {"image/gif", "GIF8", ""}, {"image/webp", "RIFF", "WEBP"},
}

// imageBytes decodes the data of an image, with line breaks or without padding
// too; ok is false where there is none, or it is no base64.
func imageBytes(data string) (image []byte, ok bool) {
	image, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(data, "=\r\n"))
	return image, err == nil && len(image) > 0
}

// imageType returns the media type that the image begins as, "" for one that no
// vendor takes.
func imageType(image []byte) string {
	head := string(image[:min(len(image), 12)])
	for _, x := range imageTypes {
		if strings.HasPrefix(head, x.magic) && strings.HasSuffix(head, x.at8) {
			return x.name
		}
	}
	return ""
}

// claudeImage judges an image block by its source. The client sends it unchanged,
// in a message and in a result (Claude Code 2.1.332); fault is what the API
// refuses, mediaType what the image ought to be called, if it is one that the API
// takes.
func claudeImage(source jsonx.Raw) (fault claudeMark, mediaType string) {
	if getString(source, "type") != "base64" {
		return 0, ""
	}
	image, ok := imageBytes(getString(source, "data"))
	if !ok {
		return markImageData, ""
	}
	is, said := imageType(image), getString(source, "media_type")
	known := slices.ContainsFunc(imageTypes[:], func(x struct{ name, magic, at8 string }) bool { return x.name == said })
	if is == said || is == "" && known { // a file that is cut or filled in is known to the vendor alone
		return 0, ""
	}
	return markImageType, is
}

// codexImage says why the client puts a text in the place of an image, "" if it
// does not. It goes by the data, whatever the media type. mended is the address
// with which it takes the image, if there is one. (Codex 0.171.0.)
func codexImage(url string) (why, mended string) {
	mediaType, data, ok := cutDataURL(url)
	if !ok {
		return "it has no data, only an address", ""
	}
	image, ok := imageBytes(data)
	if !ok {
		return "its data is empty or no base64", ""
	}
	if imageType(image) == "" {
		return "its data is no PNG, JPEG, GIF or WebP", ""
	}
	if whole := base64.StdEncoding.EncodeToString(image); whole != data {
		return "its base64 has line breaks or lacks padding", "data:" + mediaType + ";base64," + whole
	}
	return "", ""
}

// removedImage is the text in the place of an image that no client takes.
func (r *repairer) removedImage(image jsonx.Raw, textType, why string) jsonx.Raw {
	u := units{add: func(d unit) { r.removed[d]++ }}
	u.image(image)
	return object(member{"type", text(textType)}, member{"text", text("[an image was removed here: " + why + "]")})
}

// shapeImage gives an image block the media type of its data, or puts a text in
// its place.
func (r *repairer) shapeImage(b jsonx.Raw) jsonx.Raw {
	source := get(b, "source")
	switch fault, mediaType := claudeImage(source); {
	case fault == 0:
		return b
	case mediaType != "":
		return set(b, member{"source", set(source, member{"media_type", text(mediaType)})})
	case fault == markImageType:
		return r.removedImage(b, "text", "its type is "+getString(source, "media_type"))
	}
	return r.removedImage(b, "text", "its data is empty or no base64")
}

// shapeParts mends the images among the parts of an item's content or output, or
// puts texts in their place.
func (r *repairer) shapeParts(content jsonx.Raw, textType string) jsonx.Raw {
	var list []jsonx.Raw
	for _, part := range elements(content) {
		if getString(part, "type") == "input_image" {
			switch why, mended := codexImage(getString(part, "image_url")); {
			case mended != "":
				part = set(part, member{"image_url", text(mended)})
			case why != "":
				part = r.removedImage(part, textType, why)
			}
		}
		list = append(list, part)
	}
	return array(list)
}
