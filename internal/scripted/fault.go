package scripted

import (
	"bytes"
	"slices"
	"strings"
)

// How a frame is padded.
const (
	asField   = "field"
	asComment = "comment"
)

const garbage = `{"garbage": not json`

// misbehave applies those faults that are about which frames there are.
func misbehave(r *reply, frames []frame) []frame {
	f := r.turn.fault()
	if f.NoDone {
		frames = slices.DeleteFunc(frames, func(fr frame) bool { return fr.terminal })
	}
	if f.OverloadInStream {
		n := min(f.OverloadAtFrame, len(frames))
		frames = append(frames[:n], r.route.protocol.overload(r, n))
	}
	if f.GarbageFrameAt != nil {
		n := min(*f.GarbageFrameAt, len(frames))
		fr := frame{data: []byte(garbage)}
		if n < len(frames) {
			fr.event = frames[n].event // as if this frame had been broken on the way
		}
		frames = slices.Insert(frames, n, fr)
	}
	return frames
}

// huge is to how many bytes a frame is padded, and how; 0 is not at all.
type huge struct {
	size int
	as   string
}

func (f *Fault) hugeAt(i int) huge {
	if i != 0 {
		return huge{}
	}
	return huge{f.HugeLine, f.HugeLineAs}
}

// layout is how frames become bytes.
type layout struct {
	array bool // elements of a JSON array instead of SSE
	eol   string
}

func (l layout) render(i int, fr frame, pad huge) []byte {
	b := l.bytes(i, fr)
	missing := pad.size - len(b)
	if missing <= 0 {
		return b
	}
	if comment := len(":" + l.eol); pad.as == asComment && !l.array || !bytes.HasSuffix(fr.data, []byte("}")) {
		return append([]byte(":"+strings.Repeat(" ", max(0, missing-comment))+l.eol), b...)
	}
	fr.data = padObject(fr.data, missing)
	return l.bytes(i, fr)
}

func (l layout) bytes(i int, fr frame) []byte {
	var b bytes.Buffer
	switch {
	case l.array && i == 0:
		b.WriteString("[")
		b.Write(fr.data)
	case l.array:
		b.WriteString(l.eol + "," + l.eol)
		b.Write(fr.data)
	default:
		if fr.event != "" {
			b.WriteString("event: " + fr.event + l.eol)
		}
		b.WriteString("data: ")
		b.Write(fr.data)
		b.WriteString(l.eol + l.eol)
	}
	return b.Bytes()
}

// padObject makes a JSON object n bytes longer with a last member "padding". The
// member itself takes some bytes: fewer cannot be added.
func padObject(object []byte, n int) []byte {
	const empty = `,"padding":""`
	fill := strings.Repeat("x", max(0, n-len(empty)))
	return append(object[:len(object)-1:len(object)-1], `,"padding":"`+fill+`"}`...)
}
