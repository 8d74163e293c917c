package codex

import (
	"math"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	// markerField is the member of session_meta by which other hand-over tools
	// find a session's origin; its three members are exactly theirs.
	markerField = "sesh"
	// crosswalkField is ours, beside it.
	crosswalkField = "crosswalk"
	// originator is what our session_meta says of who made the file; Codex
	// keeps it when it migrates a rollout.
	originator = "crosswalk"
)

// marker is what a written rollout says about its origin.
type marker struct {
	sourceID, sourceAgent, handoff string
	// lines is how many lines were written; what follows them is new.
	lines int
}

func (m *marker) merge(o marker) {
	if m.sourceID == "" {
		m.sourceID, m.sourceAgent = o.sourceID, o.sourceAgent
	}
	m.handoff = o.handoff
	m.lines = max(m.lines, o.lines)
}

func readMarker(d *jsonx.Decoder) (m marker) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return m
	}
	for name := range d.Members() {
		switch string(name) {
		case "sourceSessionId", "id":
			m.sourceID = d.OptStr()
		case "sourceProvider", "agent":
			m.sourceAgent = d.OptStr()
		case "handoff":
			m.handoff = d.OptStr()
		case "emittedLines":
			m.lines = int(min(max(d.OptInt(), 0), math.MaxInt32))
		}
	}
	return m
}

func (m *marker) origin() *canon.Origin {
	if m.sourceID == "" {
		return nil
	}
	return &canon.Origin{Agent: m.sourceAgent, ID: m.sourceID}
}

// appendMarkers appends both members, with a leading comma. lines is the number
// of lines that were written: other tools take what follows them for new.
func appendMarkers(dst []byte, m agent.Marker, lines int) []byte {
	dst = append(dst, `,"`+markerField+`":{"sourceSessionId":`...)
	dst = jsonx.AppendQuote(dst, m.SourceID)
	dst = append(dst, `,"sourceProvider":`...)
	dst = jsonx.AppendQuote(dst, m.SourceAgent)
	dst = append(dst, `,"emittedLines":`...)
	dst = appendPadded(dst, lines)
	dst = append(dst, `},"`+crosswalkField+`":{"agent":`...)
	dst = jsonx.AppendQuote(dst, m.SourceAgent)
	dst = append(dst, `,"id":`...)
	dst = jsonx.AppendQuote(dst, m.SourceID)
	dst = append(dst, `,"handoff":`...)
	dst = jsonx.AppendQuote(dst, m.Handoff)
	dst = append(dst, `,"version":`...)
	dst = jsonx.AppendQuote(dst, m.Version)
	return append(dst, '}')
}

// mark is what our member of an item says of its message.
type mark struct {
	kind canon.MessageKind
	// plain says that its text only looks like what the client puts in by itself.
	plain bool
	// system says that developer text was system text: the client passes over
	// messages of that role. (Codex 0.171.0.)
	system bool
	// id is that of a call of the provider's own tool. The API knows ids of its
	// own making only, and does without one.
	id string
}

// markOf returns what a rollout cannot say of m otherwise.
func markOf(m *canon.Message) (k mark) {
	if c, ok := m.First().(*canon.ToolCallBlock); ok && c.Call == canon.CallProvider {
		k.id = c.CallID
	}
	if m.Role == canon.User && m.Kind != canon.Typed {
		k.kind = m.Kind
	}
	k.plain = looksInjected(m)
	k.system = m.Role == canon.System && m.Authority == canon.AuthoritySystem
	return k
}

// looksInjected reports whether a reader would take text of m for what the
// client puts in by itself, though it is none of that.
func looksInjected(m *canon.Message) bool {
	for _, b := range m.Blocks {
		t, ok := b.(*canon.TextBlock)
		if !ok || t.Tag != "" {
			continue
		}
		head := strings.TrimLeft(t.Text.Head(headBytes), " \t\r\n")
		if head == "" || head[0] != '<' && head[0] != '#' {
			continue
		}
		probe := canon.Message{Role: m.Role, Blocks: []canon.Block{&canon.TextBlock{Text: t.Text}, &canon.ImageBlock{}}}
		if tag(&probe, canon.Text{}); len(probe.Blocks) != 2 || probe.Blocks[0].Meta().Tag != "" {
			return true
		}
	}
	return false
}

// append adds the mark to an item, if it says anything. The client passes over
// members that it does not know. (Codex 0.171.0.)
func (k mark) append(item []byte) []byte {
	if k == (mark{}) {
		return item
	}
	item = append(item[:len(item)-1], `,"`+crosswalkField+`":{`...)
	if k.kind != "" {
		item = append(item, `"kind":`...)
		item = append(jsonx.AppendQuote(item, string(k.kind)), ',')
	}
	if k.plain {
		item = append(item, `"plain":true,`...)
	}
	if k.system {
		item = append(item, `"role":"system",`...)
	}
	if k.id != "" {
		item = append(item, `"id":`...)
		item = append(jsonx.AppendQuote(item, k.id), ',')
	}
	return append(item[:len(item)-1], `}}`...)
}

// takeMark takes the mark out of what the item has beside its content.
func takeMark(m *canon.Message) (k mark) {
	for i, e := range m.Ext.Members {
		if e.Name != crosswalkField {
			continue
		}
		m.Ext.Members = slices.Delete(slices.Clone(m.Ext.Members), i, i+1)
		if e.Value.Kind() != jsonx.Object {
			return k
		}
		d := jsonx.NewDecoder(e.Value)
		for name := range d.Members() {
			switch string(name) {
			case "kind":
				switch kind := canon.MessageKind(d.OptStr()); kind {
				case canon.Injected, canon.Summary, canon.CommandOutput, canon.HookOutput:
					k.kind = kind
				case canon.Typed:
				}
			case "plain":
				k.plain = d.OptBool()
			case "id":
				k.id = d.OptStr()
			case "role":
				k.system = d.OptStr() == string(canon.System)
			}
		}
		return k
	}
	return k
}
