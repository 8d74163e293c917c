package scripted

import "encoding/json"

// Script is what the model says, in order. It is a JSON list; [Parse] reads it
// strictly, encoding/json writes it.
type Script []Turn

// Turn is one answer of the model. Its content is written in the order thinking,
// text, tools. Times are in milliseconds.
type Turn struct {
	Thinking string `json:"thinking,omitempty"`
	Text     string `json:"text,omitempty"`
	Tools    []Tool `json:"tools,omitempty"`

	// Status, 300 to 599, makes the turn an HTTP error without content. Error is
	// the body: a JSON string is sent as plain text, any other value as written;
	// without it the protocol's own error body for that status is sent.
	Status int             `json:"status,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
	// Headers are set on the answer, error or not.
	Headers map[string]string `json:"headers,omitempty"`

	DelayMS      int `json:"delay_ms,omitempty"`       // before the answer's first byte
	FrameDelayMS int `json:"frame_delay_ms,omitempty"` // between two frames of a stream
	// Chunks is into how many pieces a streamed text or argument is split, at rune
	// boundaries; 0 means 2.
	Chunks int `json:"chunks,omitempty"`

	Usage *Usage `json:"usage,omitempty"` // nil means the default of every member
	// Stop is empty (tool_use if there are tools, else end_turn) or one of the Stop
	// constants. StopMaxTokens and StopContextFull also cut the last call: its
	// last piece is not sent, unless Chunks is 1.
	Stop  string `json:"stop,omitempty"`
	Fault *Fault `json:"fault,omitempty"`
}

// Tool is one tool call. One of Args, Input and Item is set; none of them means
// Args of {}.
type Tool struct {
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"` // the call id; empty means a minted one
	// Args is a JSON object. Where the protocol carries arguments as text, this
	// text is used byte for byte; where it carries an object, white space outside
	// strings is removed.
	Args json.RawMessage `json:"args,omitempty"`

	// The rest exists in Responses only; in another protocol such a turn is
	// answered with status 400.

	Namespace string          `json:"namespace,omitempty"`
	Input     *string         `json:"input,omitempty"` // a custom_tool_call with this free text
	Item      json.RawMessage `json:"item,omitempty"`  // a whole output item; an absent id is minted
}

// Usage counts tokens in the convention of OpenAI and Gemini: Input includes
// Cached and Written, Output includes Reasoning. The defaults of absent members
// are 11, 0, 0, 7 and 0.
type Usage struct {
	Input     int `json:"input"`
	Cached    int `json:"cached"`
	Written   int `json:"written"` // cache writes; only Messages tells them
	Output    int `json:"output"`
	Reasoning int `json:"reasoning"`
}

func defaultUsage() Usage { return Usage{Input: 11, Output: 7} }

// Fault is a way to misbehave. Frames are counted from 0; a frame is one SSE event
// or one element of a JSON array. A plain answer is one frame.
type Fault struct {
	// CutAfterFrames closes the connection without an end after that many frames.
	// A plain answer is cut in the middle, whatever the number.
	CutAfterFrames *int `json:"cut_after_frames,omitempty"`
	// OverloadInStream answers 200 and sends the protocol's overload error as frame
	// OverloadAtFrame (default: the first) and nothing after it. A plain answer has
	// the overload status: 529 for Messages, else 503.
	OverloadInStream bool `json:"overload_in_stream,omitempty"`
	OverloadAtFrame  int  `json:"overload_at_frame,omitempty"`
	// GarbageFrameAt inserts a frame that is no JSON; a plain answer becomes one.
	GarbageFrameAt *int `json:"garbage_frame_at,omitempty"`
	// CRLF ends lines with CR LF.
	CRLF bool `json:"crlf,omitempty"`
	// NoDone leaves the terminal frame out: message_stop, response.completed (or
	// incomplete), [DONE]; for Gemini the finishReason and the closing bracket.
	NoDone bool `json:"no_done,omitempty"`
	// ArgsOnlyInDone sends no argument deltas: Responses has the text in the .done
	// events, Chat in the chunk with the finish_reason. Without effect elsewhere.
	ArgsOnlyInDone bool `json:"args_only_in_done,omitempty"`
	// RepeatIDs gives everything minted in this turn the same number, which is also
	// that of every other turn with RepeatIDs.
	RepeatIDs bool `json:"repeat_ids,omitempty"`
	// EmptyDeltas sends an empty delta before each delta.
	EmptyDeltas bool `json:"empty_deltas,omitempty"`
	// SilentMS sends nothing for that long and then the turn's status (default 504).
	// With SilentAtFrame it is a pause after the headers and that many frames, and
	// the answer goes on.
	SilentMS      int  `json:"silent_ms,omitempty"`
	SilentAtFrame *int `json:"silent_at_frame,omitempty"`
	// HugeLine pads the first frame to that many bytes, with a member "padding" in
	// its JSON, or with an SSE comment if HugeLineAs is "comment".
	HugeLine   int    `json:"huge_line,omitempty"`
	HugeLineAs string `json:"huge_line_as,omitempty"`
	// Drip writes the body byte by byte, each flushed.
	Drip bool `json:"drip,omitempty"`
}

func (t *Turn) fault() Fault {
	if t.Fault == nil {
		return Fault{}
	}
	return *t.Fault
}

func (t *Turn) usage() Usage {
	if t.Usage == nil {
		return defaultUsage()
	}
	return *t.Usage
}
