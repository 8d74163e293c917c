package scripted

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// protocol writes answers in one wire protocol.
type protocol interface {
	// plain is the answer's JSON body.
	plain(*reply) any
	// frames is the answer as a stream.
	frames(*reply) []frame
	// errorBody is the JSON body of a failed request.
	errorBody(*reply, apiError) any
	// overload is the frame that ends a stream at frame n for want of capacity.
	overload(r *reply, n int) frame
}

// requestHeader names the header with the request id; Gemini has none.
func requestHeader(p protocol) string {
	switch p.(type) {
	case messages:
		return "Request-Id"
	case chat, responses:
		return "X-Request-Id"
	default:
		return ""
	}
}

// frame is one SSE event, or one element of a JSON array.
type frame struct {
	event    string // empty for protocols without event names
	data     []byte
	terminal bool // it only says that the stream is over
}

// frameList collects frames.
type frameList []frame

func (l *frameList) add(event string, v any) { *l = append(*l, frame{event: event, data: encode(v)}) }

func (l *frameList) last() *frame { return &(*l)[len(*l)-1] }

// reply is one answer in the making.
type reply struct {
	turn    Turn
	asked   asked
	route   route
	ids     *minter
	created int64 // Unix seconds

	requestID string
}

// request returns the request id, minted at first use.
func (r *reply) request() string {
	if r.requestID == "" {
		r.requestID = r.ids.mint("req_")
	}
	return r.requestID
}

// callID is what the script says, or a minted id.
func (r *reply) callID(c Tool, prefix string) string {
	if c.ID != "" {
		return c.ID
	}
	return r.ids.mint(prefix)
}

// args is the exact text of a call's arguments.
func (c *Tool) args() json.RawMessage {
	if len(c.Args) == 0 {
		return json.RawMessage("{}")
	}
	return c.Args
}

// pieces splits a text into the deltas that are streamed.
func (r *reply) pieces(s string) []string {
	n := r.turn.Chunks
	if n == 0 {
		n = 2
	}
	return r.withEmpty(split(s, n))
}

// callPieces is pieces for the arguments or input of call i.
func (r *reply) callPieces(i int, s string) []string {
	n := r.turn.Chunks
	if n == 0 {
		n = 2
	}
	parts := split(s, n)
	if r.turn.cutsCall(i) && len(parts) > 0 {
		parts = parts[:len(parts)-1]
	}
	return r.withEmpty(parts)
}

// callText is what arrives of the arguments or input of call i.
func (r *reply) callText(i int, s string) string {
	var b bytes.Buffer
	for _, p := range r.callPieces(i, s) {
		b.WriteString(p)
	}
	return b.String()
}

func (r *reply) withEmpty(parts []string) []string {
	if !r.turn.fault().EmptyDeltas {
		return parts
	}
	out := make([]string, 0, 2*len(parts))
	for _, p := range parts {
		out = append(out, "", p)
	}
	return out
}

// seal is an opaque text that is the same for the same place in a script.
func (r *reply) seal(what string) string {
	return base64.StdEncoding.EncodeToString([]byte("scripted " + what + " " + r.ids.seed + " " + r.ids.place))
}

// minter makes ids of a seed, the answer's place and a count.
type minter struct {
	seed, place string
	repeat      bool // a Fault: every id has the same number
	n           int
}

func (m *minter) mint(prefix string) string {
	if m.repeat {
		return prefix + m.seed + "_r"
	}
	m.n++
	return fmt.Sprintf("%s%s_%s_%d", prefix, m.seed, m.place, m.n)
}

// split cuts s at rune boundaries into at most n pieces whose lengths in runes
// differ by one at most, the longer first.
func split(s string, n int) []string {
	total := utf8.RuneCountInString(s)
	n = min(n, total)
	var out []string
	for i := range n {
		size := total / n
		if i < total%n {
			size++
		}
		end := 0
		for range size {
			_, width := utf8.DecodeRuneInString(s[end:])
			end += width
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

// encode is compact JSON in member order, with <, > and & as they are, which is
// how the vendors write it.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("scripted: encode %T: %v", v, err)) // only values of this package come here
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
