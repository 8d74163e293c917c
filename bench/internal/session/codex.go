package session

import "io"

// WriteCodex writes a rollout of Codex in the legacy form.
func WriteCodex(w io.Writer, o Options) (Stats, error) {
	f := &codex{file: newFile(w, o)}
	f.meta()
	f.turn(true)
	for !f.full() {
		if f.o.Shape == Active || f.owed() {
			f.turn(true)
			if f.o.Shape == Active && f.chance(6) {
				f.undone(1)
			}
			continue
		}
		if f.chance(35) {
			f.undone(f.between(1, 4))
		} else {
			f.screen()
		}
	}
	if f.o.Shape == Sparse {
		f.turn(true)
	}
	return f.close()
}

// codex is a rollout in the making.
type codex struct {
	*file
	turnID string
	tokens int
	long   bool // the long record is written
}

// open begins a record.
func (f *codex) open(kind, typ string) {
	f.b = append(f.b[:0], `{"timestamp":"`...)
	f.stamp()
	f.add(`","type":"`, kind, `","payload":{"type":"`, typ, `"`)
}

// event begins a record for the screen.
func (f *codex) event(typ string) { f.open("event_msg", typ) }

// shut ends a record.
func (f *codex) shut(active bool) {
	f.add(`}}`)
	f.end(active)
}

// shutItem ends a response item.
func (f *codex) shutItem(active bool) {
	f.add(`,"internal_chat_message_metadata_passthrough":{"turn_id":"`, f.turnID, `"}`)
	f.shut(active)
}

func (f *codex) meta() {
	f.b = append(f.b[:0], `{"timestamp":"`...)
	f.stamp()
	f.add(`","type":"session_meta","payload":{"session_id":"`, f.o.ID, `","id":"`, f.o.ID, `","timestamp":"`)
	f.stamp()
	f.add(`","cwd":"`, f.o.Dir, `","originator":"codex-tui","cli_version":"0.146.0","source":"cli","thread_source":"user","model_provider":"openai",`,
		`"base_instructions":{"text":"`)
	f.b = f.prose(f.b, int(min(17_000, f.o.Size/8)))
	f.add(`"},"history_mode":"legacy","git":{"commit_hash":"`)
	f.b = f.digits(f.b, 40, hexDigits)
	f.add(`","branch":"main"}}}`)
	f.end(false)
}

// turn writes a prompt and its work; on says that it stays.
func (f *codex) turn(on bool) {
	stop := f.stats.Bytes + f.turnSize(on)
	f.turnID = f.uuid()
	f.context()
	f.event("task_started")
	f.add(`,"turn_id":"`, f.turnID, `","model_context_window":258400,"collaboration_mode_kind":"default"`)
	f.shut(false)
	f.prompt(on)
	for f.stats.Bytes < stop {
		f.step(on)
	}
	last := f.said("final_answer", on)
	f.event("task_complete")
	f.add(`,"turn_id":"`, f.turnID, `","last_agent_message":"`)
	f.b = append(f.b, last...)
	f.add(`","duration_ms":`)
	f.b = f.number(f.b, 900_000)
	f.shut(false)
}

// undone writes turns that are rolled back at once.
func (f *codex) undone(turns int) {
	for range turns {
		f.turn(false)
	}
	f.event("thread_rolled_back")
	f.add(`,"num_turns":`)
	f.int(turns)
	f.shut(false)
}

func (f *codex) context() {
	f.b = append(f.b[:0], `{"timestamp":"`...)
	f.stamp()
	f.add(`","type":"turn_context","payload":{"turn_id":"`, f.turnID, `","cwd":"`, f.o.Dir, `","approval_policy":"never","sandbox_policy":{"type":"read-only"},`,
		`"model":"gpt-5.6-sol","effort":"medium","summary":"auto","developer_instructions":"`)
	f.b = f.prose(f.b, int(min(1800, f.turnSize(true)/20)))
	f.add(`"`)
	f.shut(false)
}

func (f *codex) prompt(on bool) {
	f.open("response_item", "message")
	f.add(`,"role":"user","content":[{"type":"input_text","text":"`)
	at := len(f.b)
	f.b = f.prose(f.b, f.between(60, 1600))
	text := append([]byte(nil), f.b[at:]...)
	f.add(`"}`)
	if on && f.o.Size > 2<<20 && f.o.Shape == Active && f.chance(3) {
		f.add(`,{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo`)
		f.b = f.base64(append(f.b, 'A'), f.between(30_000, 120_000))
		f.add(`"}`)
	}
	f.add(`]`)
	f.shutItem(on)
	f.event("user_message")
	f.add(`,"message":"`)
	f.b = append(f.b, text...)
	f.add(`","images":[],"local_images":[],"text_elements":[]`)
	f.shut(false)
}

// said writes what the model said, as item and event, and returns it.
func (f *codex) said(phase string, on bool) []byte {
	f.event("agent_message")
	f.add(`,"message":"`)
	at := len(f.b)
	f.b = f.prose(f.b, f.between(80, 1300))
	text := append([]byte(nil), f.b[at:]...)
	f.add(`","phase":"`, phase, `","memory_citation":null`)
	f.shut(false)
	f.open("response_item", "message")
	f.add(`,"id":"`, f.id("msg_", 40), `","role":"assistant","content":[{"type":"output_text","text":"`)
	f.b = append(f.b, text...)
	f.add(`"}],"phase":"`, phase, `"`)
	f.shutItem(on)
	return text
}

// step writes one answer of the model with the outputs of its calls.
func (f *codex) step(on bool) {
	if f.chance(70) {
		f.reasoning(on)
	}
	if f.chance(30) {
		f.said("commentary", on)
	}
	calls := 1
	if f.chance(15) {
		calls = f.between(2, 4)
	}
	ids, patches := make([]string, calls), make([]bool, calls)
	for i := range calls {
		ids[i], patches[i] = f.id("call_", 24), f.chance(20)
		if patches[i] {
			f.patch(ids[i], on)
		} else {
			f.exec(ids[i], on)
		}
	}
	for i := range calls {
		f.output(ids[i], patches[i], on)
	}
	f.tokenCount()
}
