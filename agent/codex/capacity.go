package codex

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// capacity is what Codex 0.171.0 gives the Responses API back as history. Call
// ids of at most 64 bytes and names of 64 letters, digits, _ and - are the
// limits of OpenAI's API reference of Responses; images may have 50 MB together,
// and one of 20 MB is refused. The client itself passes over a record with an
// input_file, a message of the role system, a web search without the type of its
// action and a local shell call without a command line; it leaves out images
// given by a URL.
func capacity() *canon.Capacity {
	return &canon.Capacity{
		Dialect:     responses.Name,
		CallIDs:     canon.Grammar{Max: 64, Extra: "_-"},
		Names:       canon.Grammar{Max: 64, Extra: "_-"},
		ImageTypes:  []string{"image/png", "image/jpeg", "image/gif", "image/webp"},
		MaxImage:    20 << 20,
		NoImageURLs: true,
		Provider:    holdsProvider,
		Call:        fitCall,
		BlankText:   true,
	}
}

// holdsProvider reports whether a rollout has an item for a call of a tool that
// the provider runs: a web search, which has no result of its own, or an image
// that was made.
func holdsProvider(b *canon.ToolCallBlock, r *canon.ToolResultBlock) bool {
	if b.Namespace != "" || len(b.Ext.Members) > 0 && b.Ext.Dialect != responses.Name {
		return false
	}
	switch b.Name {
	case responses.NameWebSearch:
		return (r == nil || len(r.Content) == 0) && isString(member(b.Input.JSON, "type"))
	case responses.NameImageGeneration:
		_, ok := generatedImage(r)
		return ok && revisedPrompt(b) != nil && strings.HasPrefix(b.CallID, imageIDPrefix)
	}
	return false
}

// imageIDPrefix begins the ids of image generations, which the API insists on.
const imageIDPrefix = "ig_"

// generatedImage returns the image that an image generation made.
func generatedImage(r *canon.ToolResultBlock) (*canon.ImageBlock, bool) {
	if r == nil || len(r.Content) != 1 || r.IsError {
		return nil, false
	}
	i, ok := r.Content[0].(*canon.ImageBlock)
	return i, ok && i.MediaType == "image/png" && !i.Data.IsEmpty()
}

// revisedPrompt returns the input of an image generation as its item holds it:
// a string or nothing, here an empty value; nil if it is anything else.
func revisedPrompt(b *canon.ToolCallBlock) canon.Raw {
	if b.Input.JSON.Kind() != jsonx.Object {
		return nil
	}
	prompt := canon.Raw{}
	d := jsonx.NewDecoder(b.Input.JSON)
	for name := range d.Members() {
		if string(name) != "revised_prompt" || d.Kind() != jsonx.String || len(prompt) > 0 {
			return nil
		}
		prompt = d.Raw()
	}
	return prompt
}

// fitCall gives a call a form that a rollout holds.
func fitCall(b *canon.ToolCallBlock) (why string) {
	switch b.Call {
	case canon.CallCustom:
		if b.Input.JSON != nil {
			b.Input = canon.Input{Text: canon.NewText(string(b.Input.JSON))}
		}
	case canon.CallFunction:
		// Arguments are text on the wire, whatever they hold.
		if b.Input.JSON == nil {
			if raw := canon.Raw(b.Input.Text.String()); raw.Valid() {
				b.Input = canon.Input{JSON: raw}
			}
		}
	case canon.CallShell:
		if b.Name == responses.NameLocalShell && b.Namespace == "" && isCommandLine(b.Input.JSON) {
			return ""
		}
		b.Call = canon.CallFunction
		fitCall(b)
		return "a shell call without a command line becomes a function call"
	case canon.CallProvider:
	}
	return ""
}

// isCommandLine reports whether v is an action that the client can read:
// {"type":"exec","command":[…]}.
func isCommandLine(v canon.Raw) bool {
	if string(member(v, "type")) != `"exec"` {
		return false
	}
	command := member(v, "command")
	if command.Kind() != jsonx.Array {
		return false
	}
	d := jsonx.NewDecoder(command)
	for range d.Elements() {
		if d.Kind() != jsonx.String {
			return false
		}
	}
	return d.Err() == nil
}

func isString(v canon.Raw) bool { return v.Kind() == jsonx.String }

// member returns the member of the object v called name, or nil.
func member(v canon.Raw, name string) (found canon.Raw) {
	if v.Kind() != jsonx.Object {
		return nil
	}
	d := jsonx.NewDecoder(v)
	for n := range d.Members() {
		if string(n) == name {
			found = d.Raw()
		}
	}
	return found
}
