package gemini

import (
	"encoding/base64"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	pdf       = "application/pdf"
	plainText = "text/plain"
)

// camel returns the name of a member without underscores: the API takes both
// spellings, and its own examples mix them.
func camel(name []byte) []byte {
	for i, c := range name {
		if c != '_' || i == 0 {
			continue
		}
		out := append(make([]byte, 0, len(name)), name[:i]...)
		for ; i < len(name); i++ {
			if c = name[i]; c == '_' && i+1 < len(name) {
				i++
				if c = name[i]; c >= 'a' && c <= 'z' {
					c -= 'a' - 'A'
				}
			}
			out = append(out, c)
		}
		return out
	}
	return name
}

// part is the union of what parts of a content hold.
type part struct {
	text      canon.Text
	isText    bool // there is a text, if an empty one
	thought   bool
	signature canon.Text
	// call, response, inline and file are objects, or nil.
	call, response, inline, file canon.Raw
	ext                          canon.Ext
	whole                        canon.Raw
}

// readPart reads a part. A string is a text, as the vendor's libraries have it.
func readPart(d *jsonx.Decoder) (p part) {
	start := d.Next()
	switch d.Kind() {
	case jsonx.String:
		return part{text: canon.ReadText(d), isText: true}
	case jsonx.Object:
	default:
		return part{whole: d.Raw()}
	}
	for name := range d.Members() {
		p.member(d, name)
	}
	p.whole = d.Slice(start)
	return p
}

func (p *part) member(d *jsonx.Decoder, name []byte) {
	kind := d.Kind()
	var object *canon.Raw
	switch string(camel(name)) {
	case "text":
		if kind == jsonx.String {
			p.text, p.isText = canon.ReadText(d), true
			return
		}
	case "thought":
		p.thought = d.OptBool()
		return
	case "thoughtSignature":
		p.signature = canon.ReadOptText(d)
		return
	case "functionCall":
		object = &p.call
	case "functionResponse":
		object = &p.response
	case "inlineData":
		object = &p.inline
	case "fileData":
		object = &p.file
	}
	switch {
	case object != nil && kind == jsonx.Object:
		*object = d.Raw()
	case kind == jsonx.Null:
		d.Skip()
	default:
		p.ext.Read(d, Name, name)
	}
}

// The values that the vendor documents for a call whose signature is not known.
const (
	skipSignature  = "skip_thought_signature_validator"
	skipSignature2 = "context_engineering_is_the_way_to_go"
)

// seal returns the signature of the part, if it is one.
func (p *part) seal() canon.Text {
	if p.signature.Equal(canon.NewText(skipSignature)) || p.signature.Equal(canon.NewText(skipSignature2)) {
		return canon.Text{}
	}
	return p.signature
}

// sink takes what parts hold, in their order.
type sink interface {
	// inText says whether the last block is a text to which more can be added.
	inText() bool
	text(t canon.Text, ext canon.Ext)
	thought(t canon.Text, ext canon.Ext)
	// seal adds a signature to the thoughts before it, or is a block of its own.
	seal(t canon.Text)
	block(b canon.Block)
	call(b *canon.ToolCallBlock)
	response(b *canon.ToolResultBlock, name string)
}

// into gives s what the part holds: a signature before that which it stands on,
// unless that goes on with a text that has begun.
func (p *part) into(s sink) {
	media := p.media()
	if p.isOpaque(media) {
		raw, _ := jsonx.CleanValue(p.whole)
		s.block(&canon.OpaqueBlock{Dialect: Name, Type: p.kind(), Raw: raw})
		return
	}
	sealed := p.seal()
	goesOn := p.isText && !p.text.IsEmpty() && !p.thought && len(p.ext.Members) == 0 && s.inText()
	if !sealed.IsEmpty() && !goesOn && !p.thought {
		s.seal(sealed)
	}
	ext := p.ext
	if p.isText {
		switch {
		case p.thought:
			s.thought(p.text, ext)
		case !p.text.IsEmpty() || sealed.IsEmpty():
			s.text(p.text, ext)
		}
		ext = canon.Ext{}
	}
	if !sealed.IsEmpty() && (goesOn || p.thought) {
		s.seal(sealed)
	}
	if media != nil {
		media.Meta().Ext = ext
		s.block(media)
	}
	if p.call != nil {
		s.call(readCall(p.call, ext))
	}
	if p.response != nil {
		s.response(readResponse(p.response, ext))
	}
}

// isOpaque reports whether canon models nothing of what the part holds.
func (p *part) isOpaque(media canon.Block) bool {
	switch {
	case p.isText, media != nil, p.call != nil, p.response != nil:
		return false
	case p.whole.Kind() != jsonx.Object:
		return true
	}
	return p.inline != nil || p.file != nil || len(p.ext.Members) > 0
}

// kind returns the name of what a part holds that canon does not model.
func (p *part) kind() string {
	switch {
	case p.inline != nil:
		return "inlineData"
	case p.file != nil:
		return "fileData"
	case len(p.ext.Members) > 0:
		return p.ext.Members[0].Name
	}
	return ""
}

// media returns the image or document of the part, or nil if it has none that
// canon models.
func (p *part) media() canon.Block {
	switch {
	case p.inline != nil:
		return readInline(p.inline)
	case p.file != nil:
		return readFile(p.file)
	}
	return nil
}

func readInline(raw canon.Raw) canon.Block {
	var m canon.Media
	d := jsonx.NewDecoder(raw)
	for name := range d.Members() {
		switch string(camel(name)) {
		case "mimeType":
			m.MediaType = d.OptStr()
		case "data":
			m.Data = canon.ReadOptText(d)
		case "displayName":
			m.Name = d.OptStr()
		}
	}
	switch {
	case m.Data.IsEmpty():
	case strings.HasPrefix(m.MediaType, "image/"):
		return &canon.ImageBlock{Media: m}
	case m.MediaType == pdf:
		return &canon.DocumentBlock{Media: m}
	case strings.HasPrefix(m.MediaType, plainText):
		text, err := base64.StdEncoding.DecodeString(m.Data.String())
		if err == nil && len(text) > 0 && utf8.Valid(text) {
			return &canon.DocumentBlock{Media: canon.Media{MediaType: plainText, Plain: canon.NewText(string(text)), Name: m.Name}}
		}
	}
	return nil
}

// readFile reads a reference to a file. What only the vendor can open is none
// that canon models: its uploaded files, its storage, videos.
func readFile(raw canon.Raw) canon.Block {
	var m canon.Media
	typ := ""
	d := jsonx.NewDecoder(raw)
	for name := range d.Members() {
		switch string(camel(name)) {
		case "mimeType":
			typ = d.OptStr()
		case "fileUri":
			m.URL = canon.ReadOptText(d)
		case "displayName":
			m.Name = d.OptStr()
		}
	}
	url := m.URL.String()
	if typ == "" {
		typ = typeOf(url)
	}
	switch {
	case !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://"), strings.Contains(url, "://generativelanguage.googleapis.com/"):
	case strings.HasPrefix(typ, "image/"):
		return &canon.ImageBlock{Media: m}
	case typ == pdf:
		return &canon.DocumentBlock{Media: m}
	}
	return nil
}

// typeOf returns the media type that the end of an address tells, or "".
func typeOf(url string) string {
	url, _, _ = strings.Cut(url, "?")
	url, _, _ = strings.Cut(url, "#")
	switch strings.ToLower(path.Ext(url)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".heic":
		return "image/heic"
	case ".heif":
		return "image/heif"
	case ".gif":
		return "image/gif"
	case ".pdf":
		return pdf
	}
	return ""
}
