package canon

// The estimate's constants: bytes of ASCII text a token, and what an image costs
// that is as large as Anthropic's vision guide advises (1,092 by 1,092 pixels;
// width × height / 750).
const (
	bytesPerToken = 4
	imageTokens   = 1500
)

// EstimateTokens estimates what b costs as input, from its size alone: four
// bytes a token, 1,500 tokens an image. It is meant for warnings, not for
// billing.
func EstimateTokens(b Block) int {
	switch b := b.(type) {
	case *TextBlock:
		return b.Text.Size() / bytesPerToken
	case *ImageBlock:
		return imageTokens
	case *DocumentBlock:
		return (b.Plain.Size() + b.Data.Size()*3/4) / bytesPerToken
	case *ReasoningBlock:
		return b.Text.Size() / bytesPerToken
	case *ToolCallBlock:
		return (len(b.Name) + len(b.Input.JSON) + b.Input.Text.Size()) / bytesPerToken
	case *ToolResultBlock:
		n := 0
		for _, inner := range b.Content {
			n += EstimateTokens(inner)
		}
		return n
	case *CompactionBlock:
		return b.Capsule.Sealed.Size() / bytesPerToken
	case *OpaqueBlock:
		return len(b.Raw) / bytesPerToken
	}
	return 0
}
