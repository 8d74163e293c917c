package session

import (
	"io"
)

// WriteClaude writes a session of Claude Code.
func WriteClaude(w io.Writer, o Options) (Stats, error) {
	f := &claude{file: newFile(w, o)}
	f.model = "claude-opus-4-8"
	f.mode()
	leaf := f.turn("", true)
	for !f.full() {
		if f.o.Shape == Active || f.owed() {
			leaf = f.turn(leaf, true)
			if f.o.Shape == Active && f.chance(12) {
				f.turn(leaf, false) // given up: the next turn goes on from leaf
				leaf = f.turn(leaf, true)
			}
			continue
		}
		if f.chance(30) {
			f.turn(leaf, false)
		} else {
			f.agentProgress(leaf)
		}
	}
	if f.o.Shape == Sparse {
		leaf = f.turn(leaf, true)
	}
	f.lastPrompt(leaf)
	return f.close()
}

// claude is a file of Claude Code in the making: a tree of records.
type claude struct {
	*file
	model string
	long  bool // the long record is written
}

// open begins a chain record. The members stand in the client's order: what the
// record holds, then stamped, then shut.
func (f *claude) open(parent string) {
	f.b = append(f.b[:0], `{"parentUuid":`...)
	if parent == "" {
		f.add("null")
	} else {
		f.add(`"`, parent, `"`)
	}
	f.add(`,"isSidechain":false`)
}

// stamped names the record and says when it was written.
func (f *claude) stamped(uuid string) {
	f.add(`,"uuid":"`, uuid, `","timestamp":"`)
	f.stamp()
	f.add(`"`)
}

// shut ends a chain record.
func (f *claude) shut(active bool) {
	f.envelope()
	f.add(`}`)
	f.end(active)
}

func (f *claude) envelope() {
	f.add(`,"userType":"external","entrypoint":"cli","cwd":"`, f.o.Dir, `","sessionId":"`, f.o.ID, `","version":"2.1.145","gitBranch":"main"`)
}

// turn writes a prompt and its work below parent, and returns the last record.
func (f *claude) turn(parent string, on bool) (leaf string) {
	stop := f.stats.Bytes + f.turnSize(on)
	leaf = f.prompt(parent, on)
	for f.stats.Bytes < stop {
		leaf = f.step(leaf, on)
	}
	return f.duration(f.said(leaf, f.id("msg_01", 22), f.requestID(), on))
}

// duration writes how long a turn took: a record in the chain without content.
func (f *claude) duration(parent string) string {
	id := f.uuid()
	f.open(parent)
	f.add(`,"type":"system","subtype":"turn_duration","durationMs":`)
	f.b = f.number(f.b, 900_000)
	f.stamped(id)
	f.add(`,"isMeta":false`)
	f.shut(false)
	return id
}

func (f *claude) requestID() string { return f.id("req_011", 21) }

// prompt writes what a person typed.
func (f *claude) prompt(parent string, on bool) string {
	if f.chance(50) {
		f.snapshot()
	}
	id := f.uuid()
	f.open(parent)
	f.add(`,"promptId":"`, f.uuid(), `","type":"user","message":{"role":"user","content":`)
	if on && f.o.Size > 2<<20 && f.o.Shape == Active && f.chance(3) {
		f.add(`[{"type":"text","text":"`)
		f.b = f.prose(f.b, 300)
		f.add(`"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo`)
		f.b = f.base64(append(f.b, 'A'), f.between(30_000, 120_000))
		f.add(`"}}]`)
	} else {
		f.add(`"`)
		f.b = f.prose(f.b, f.between(60, 1600))
		f.add(`"`)
	}
	f.add(`}`)
	f.stamped(id)
	f.shut(on)
	if f.chance(40) {
		return f.attachment(id, on)
	}
	return id
}

// step writes one API message with the results of its calls.
func (f *claude) step(parent string, on bool) (leaf string) {
	msg, req := f.id("msg_01", 22), f.requestID()
	leaf = parent
	if f.chance(60) {
		leaf = f.thinking(leaf, msg, req, on)
	}
	if f.chance(40) {
		leaf = f.said(leaf, msg, req, on)
	}
	calls := 1
	if f.chance(15) {
		calls = f.between(2, 4)
	}
	ids, records := make([]string, calls), make([]string, calls)
	tools := make([]int, calls)
	for i := range calls {
		tools[i] = int(f.r.Uint32N(4))
		ids[i] = f.id("toolu_01", 22)
		leaf = f.call(leaf, msg, req, ids[i], tools[i], on)
		records[i] = leaf
	}
	// Each result hangs below its own call; the last one leads on.
	for i := range calls {
		for f.chance(50) {
			f.hookProgress(records[i], ids[i])
		}
		leaf = f.result(records[i], ids[i], tools[i], on)
	}
	return leaf
}

// answer begins a record with one block of an API message.
func (f *claude) answer(parent, msg string) (id string) {
	id = f.uuid()
	f.open(parent)
	f.add(`,"message":{"model":"`, f.model, `","id":"`, msg, `","type":"message","role":"assistant","content":[`)
	return id
}

// answered ends it.
func (f *claude) answered(id, req, reason string, on bool) {
	f.add(`],"stop_reason":`, reason, `,"stop_sequence":null,"usage":{"input_tokens":`)
	f.b = f.number(f.b, 200)
	f.add(`,"cache_creation_input_tokens":`)
	f.b = f.number(f.b, 9000)
	f.add(`,"cache_read_input_tokens":`)
	f.b = f.number(f.b, 160_000)
	f.add(`,"output_tokens":`)
	f.b = f.number(f.b, 2000)
	f.add(`,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard",`,
		`"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"inference_geo":"","iterations":[],"speed":"standard"}},"requestId":"`, req, `","type":"assistant"`)
	f.stamped(id)
	f.shut(on)
}

func (f *claude) thinking(parent, msg, req string, on bool) string {
	id := f.answer(parent, msg)
	f.add(`{"type":"thinking","thinking":"`)
	f.b = f.prose(f.b, f.between(150, 2200))
	f.add(`","signature":"`)
	f.b = f.base64(f.b, f.between(300, 1000))
	f.add(`"}`)
	f.answered(id, req, "null", on)
	return id
}

func (f *claude) said(parent, msg, req string, on bool) string {
	id := f.answer(parent, msg)
	f.add(`{"type":"text","text":"`)
	f.b = f.prose(f.b, f.between(80, 1600))
	f.add(`"}`)
	f.answered(id, req, `"end_turn"`, on)
	return id
}
