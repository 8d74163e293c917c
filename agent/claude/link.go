package claude

import (
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	// linkField is the member of a record that is ours; the client keeps
	// members it does not know.
	linkField = "crosswalk"
	// linkType is the type of the record that tells where a session came from;
	// the client passes over types it does not know.
	linkType = "crosswalk-link"
)

// link is what our member of a record says: where the session came from, or
// what a record stood for in the form it had there.
type link struct {
	Agent, ID, Handoff, Version string

	Role, Authority, Kind       string
	Model                       string
	Call, Name, Namespace, Form string
	// Plain is set where text only looks like what the client puts in by itself.
	Plain string
}

func readLink(d *jsonx.Decoder) (l link) {
	if d.Kind() != jsonx.Object {
		d.Skip()
		return l
	}
	for name := range d.Members() {
		if p := l.field(string(name)); p != nil {
			*p = d.OptStr()
		}
	}
	return l
}

func (l *link) field(name string) *string {
	switch name {
	case "agent":
		return &l.Agent
	case "id":
		return &l.ID
	case "handoff":
		return &l.Handoff
	case "version":
		return &l.Version
	case "role":
		return &l.Role
	case "authority":
		return &l.Authority
	case "kind":
		return &l.Kind
	case "call":
		return &l.Call
	case "name":
		return &l.Name
	case "namespace":
		return &l.Namespace
	case "form":
		return &l.Form
	case "model":
		return &l.Model
	case "plain":
		return &l.Plain
	}
	return nil
}

var linkFields = [...]string{"agent", "id", "handoff", "version", "role", "authority", "kind", "call", "name", "namespace", "form", "model", "plain"}

// append appends the member's value with the fields that are set.
func (l *link) append(dst []byte) []byte {
	dst = append(dst, '{')
	for _, name := range linkFields {
		v := *l.field(name)
		if v == "" {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, name...)
		dst = append(dst, `":`...)
		dst = jsonx.AppendQuote(dst, v)
	}
	return append(dst, '}')
}

func (l *link) isZero() bool { return *l == link{} }

// origin returns where the session came from, or nil.
func (l *link) origin() *canon.Origin {
	if l.Agent == "" && l.ID == "" {
		return nil
	}
	return &canon.Origin{Agent: l.Agent, ID: l.ID}
}
