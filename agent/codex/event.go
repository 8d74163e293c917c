package codex

import (
	"hash/maphash"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// typedMembers calls f for every other member of an object once it knows what
// its "type" says; f reads the member's value or leaves it. The client writes
// the type first, other programs where they like.
func typedMembers(d *jsonx.Decoder, f func(d *jsonx.Decoder, typ, name string)) (typ string) {
	start := d.Next()
	early := false
	for name := range d.Members() {
		switch {
		case string(name) == "type":
			typ = d.OptStr()
		case typ == "":
			early = true
		default:
			f(d, typ, string(name))
		}
	}
	if !early || typ == "" {
		return typ
	}
	again := jsonx.NewDecoder(d.Slice(start))
	known := false
	for name := range again.Members() {
		switch {
		case string(name) == "type":
			known = true
			again.Skip()
		case !known: // what follows was read in the first place
			f(again, typ, string(name))
		}
	}
	return typ
}

// event reads an event_msg.
func (r *headReader) event(d *jsonx.Decoder) {
	switch typedMembers(d, r.eventMember) {
	case "user_message":
		r.head.typ = recTyped
	case "agent_message":
		r.head.typ = recAnswer
	case "thread_rolled_back":
		r.head.typ = recRollback
	}
	if r.head.typ == recTyped && r.head.text != 0 {
		r.facts.addTyped(r.head.text)
	}
}

func (r *headReader) eventMember(d *jsonx.Decoder, typ, name string) {
	switch {
	case name == "message" && typ == "user_message":
		r.head.text = r.message(d)
	case name == "num_turns" && typ == "thread_rolled_back":
		r.head.turns = d.OptInt()
	case name == "item" && typ == "item_completed" && d.Kind() == jsonx.Object:
		typedMembers(d, r.completedMember)
	case (name == "thread_name" || name == "name") && typ == "thread_name_updated":
		r.facts.name = d.OptStr()
	case name == "goal" && typ == "thread_goal_updated" && d.Kind() == jsonx.Object:
		r.facts.readGoal(d)
	}
}

// imageMessage is what our own events say of a prompt that is an image and
// nothing else.
const imageMessage = "[Image]"

// message hashes the text of a prompt's event and keeps the first one.
func (r *headReader) message(d *jsonx.Decoder) uint64 {
	if d.Kind() != jsonx.String {
		d.Skip()
		return 0
	}
	text := r.decoded(d)
	r.facts.prompt(text)
	if string(text) == imageMessage {
		r.facts.addTyped(maphash.Bytes(r.seed, nil))
	}
	return maphash.Bytes(r.seed, text)
}

// completedMember reads the item of an item_completed event of a paginated
// rollout.
func (r *headReader) completedMember(d *jsonx.Decoder, typ, name string) {
	switch {
	case name != "content":
	case typ == "UserMessage":
		r.head.typ = recTyped
		r.texts(d)
	case typ == "AgentMessage":
		r.head.typ = recAnswer
	}
}
