package check

import (
	"cmp"
	"hash/maphash"
	"slices"
)

// codexFault is one thing that is wrong with the pairing of calls and outputs.
type codexFault struct {
	rule string
	rec  int // number of the record, from 0
	line int
	turn int
	// other is the record of the call of an output that stands before it.
	other int
	// nth counts the calls with one id, from 1; silent marks the output of a
	// repeated call.
	nth    int
	silent bool
}

// codexPairs pairs calls and outputs. Codex keeps them in the order of the file
// and wants the kinds of both to match. (Codex 0.171.0.)
type codexPairs struct {
	seed   maphash.Seed
	calls  map[uint64]codexCalls
	early  map[uint64][]codexFault // outputs before their call
	faults []codexFault
	// log names the calls and early outputs in order, for a rollback.
	log []loggedCall
}

type loggedCall struct {
	id    uint64
	turn  int32
	early bool
}

// codexCalls are the calls of one id.
type codexCalls struct {
	rec, line, turn int32 // of the last one
	calls, outputs  uint32
	kind            callKind
}

func (p *codexPairs) reset() {
	p.calls, p.early, p.faults = make(map[uint64]codexCalls), make(map[uint64][]codexFault), nil
	p.log = nil
}

// inherit forgets the faults of a replacement history: what the client finds
// unpaired in one it settles or drops, and the items have no lines of their own.
func (p *codexPairs) inherit() {
	p.faults, p.early = nil, make(map[uint64][]codexFault)
	for id, c := range p.calls {
		if c.outputs < c.calls {
			c.outputs = c.calls
			p.calls[id] = c
		}
	}
}

func (p *codexPairs) key(id string) uint64 { return maphash.String(p.seed, id) }

func (p *codexPairs) call(it *codexItem, kind callKind, h *codexHistory) {
	id := p.key(it.callID)
	c := p.calls[id]
	c.rec, c.line, c.turn, c.kind = int32(h.rec), int32(h.line), int32(h.turn), kind
	c.calls++
	if c.calls > 1 {
		p.faults = append(p.faults, codexFault{rule: "codex-repeated-call-id", rec: h.rec, line: h.line, turn: h.turn, nth: int(c.calls)})
	}
	if early := p.early[id]; len(early) > 0 {
		f := early[0]
		f.rule, f.other = "codex-output-before-call", h.rec
		p.faults = append(p.faults, f)
		p.early[id] = early[1:]
		c.outputs++
	}
	p.calls[id] = c
	p.log = append(p.log, loggedCall{id: id, turn: int32(h.turn)})
}

func (p *codexPairs) output(it *codexItem, kind callKind, h *codexHistory) {
	id := p.key(it.callID)
	f := codexFault{rule: "codex-orphan-output", rec: h.rec, line: h.line, turn: h.turn}
	c, ok := p.calls[id]
	switch {
	case !ok:
		p.early[id] = append(p.early[id], f)
		p.log = append(p.log, loggedCall{id: id, turn: int32(h.turn), early: true})
		return
	case c.kind != kind:
		p.faults = append(p.faults, f)
		return
	case c.outputs >= c.calls:
		f.rule = "codex-repeated-output"
		p.faults = append(p.faults, f)
		return
	case c.calls > 1:
		p.faults = append(p.faults, codexFault{rule: "codex-repeated-call-id", rec: h.rec, line: h.line, turn: h.turn, nth: int(c.outputs) + 1, silent: true})
	}
	c.outputs++
	p.calls[id] = c
}

// rollBack forgets what belongs to later turns than turn.
func (p *codexPairs) rollBack(turn int) {
	n := len(p.log)
	for ; n > 0 && int(p.log[n-1].turn) > turn; n-- {
		id := p.log[n-1].id
		if list := p.early[id]; p.log[n-1].early && len(list) > 0 {
			p.early[id] = list[:len(list)-1]
		} else if !p.log[n-1].early {
			delete(p.calls, id)
		}
	}
	p.log = p.log[:n]
	n = len(p.faults)
	for n > 0 && p.faults[n-1].turn > turn {
		n--
	}
	p.faults = p.faults[:n]
}

// end turns what is still open into faults, in the order of the file.
func (p *codexPairs) end() {
	for _, list := range p.early {
		p.faults = append(p.faults, list...)
	}
	for _, c := range p.calls {
		if c.outputs < c.calls {
			p.faults = append(p.faults, codexFault{rule: "codex-unanswered-call", rec: int(c.rec), line: int(c.line), turn: int(c.turn), nth: int(c.calls)})
		}
	}
	slices.SortStableFunc(p.faults, func(a, b codexFault) int { return cmp.Compare(a.rec, b.rec) })
}
