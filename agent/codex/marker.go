package codex

import (
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
}

func (m *marker) merge(o marker) {
	if m.sourceID == "" {
		m.sourceID, m.sourceAgent = o.sourceID, o.sourceAgent
	}
	m.handoff = o.handoff
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
