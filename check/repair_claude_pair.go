package check

import (
	"context"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Texts that a repair puts into a session.
const (
	// noResult answers a call that nothing answered. The readers know it again.
	noResult = canon.InterruptedResult
	// strayResult stands before the content of a result that no call asked for.
	strayResult = "[tool result without its call]"
	// opening comes before an answer that begins the history.
	opening = "[the beginning of this conversation is missing]"
)

// pairPlan is what becomes of a record so that calls and results pair.
type pairPlan struct {
	rules []string
	// rename gives the number among the calls of one id, by the id's hash.
	rename map[uint64]int
	stray  map[uint64]bool // results that become text
	settle []uint64        // calls of earlier records that are answered behind this one
	group  int32           // record whose message id this one gets, or -1
	own    string          // a message id of its own
	follow bool            // the parent is what was put behind the record before
	start  bool            // a message comes before it
	trim   bool            // thinking at its end goes
}

// claudePairer plans and writes.
type claudePairer struct {
	r     *repairer
	c     *claudeFile
	x     *claudeIndex
	seq   []int32
	chain []int32
	plan  map[int32]*pairPlan
	// groups holds the message ids that records get, calls the ids of calls
	// that are answered.
	groups map[int32]string
	calls  map[uint64]string
	taken  map[uint64]bool
	// reopen holds message ids for records whose API message goes on behind
	// another one.
	reopen map[int32]string
	// places finds records on the chain, first the first one of an API message,
	// ends the last one of the run that the one at a place is a part of.
	places map[int32]int
	first  map[uint64]int
	ends   []int
}

// claudePairs answers calls, turns stray results into text and renames repeated
// ids along the history.
func (r *repairer) claudePairs(ctx context.Context) error {
	c, err := r.model(ctx)
	if err != nil || c.firstMain < 0 {
		return err
	}
	w := c.x.walk(c.x.find(c.read.hash(r.leaf)))
	if w.leaf < 0 {
		return nil
	}
	p := &claudePairer{
		r: r, c: c, x: c.x, chain: w.chain, seq: w.sequence(), plan: make(map[int32]*pairPlan),
		groups: make(map[int32]string), calls: make(map[uint64]string), taken: make(map[uint64]bool),
	}
	p.faults()
	p.answers(w)
	if len(p.plan) == 0 {
		return nil
	}
	if err := p.gather(ctx); err != nil {
		return err
	}
	return p.write(ctx)
}

func (p *claudePairer) at(i int32, rule string) *pairPlan {
	plan := p.plan[i]
	if plan == nil {
		plan = &pairPlan{group: -1}
		p.plan[i] = plan
	}
	if rule != "" && (len(plan.rules) == 0 || plan.rules[len(plan.rules)-1] != rule) {
		plan.rules = append(plan.rules, rule)
	}
	return plan
}

// faults plans the repair of what is wrong with the pairing.
func (p *claudePairer) faults() {
	pairs := newClaudePairs(p.c, p.seq)
	for _, f := range pairs.find() {
		rule := f.rule
		if f.silent {
			rule = ""
		}
		switch f.rule {
		case "claude-unanswered-call":
			p.at(f.rec, rule)
			p.settle(f.rec, f.id)
		case "claude-late-result":
			if id := p.reopened(f.other); id != "" {
				p.at(f.other, rule)
				for i, of := range p.reopen {
					if of == id {
						p.at(i, "").own = id
					}
				}
				continue
			}
			p.stray(f, rule)
			p.settle(f.other, f.id)
		case "claude-orphan-result", "claude-starts-with-result", "claude-repeated-result":
			p.stray(f, rule)
		case "claude-repeated-call-id", "claude-derived-call-id":
			plan := p.at(f.rec, rule)
			if plan.rename == nil {
				plan.rename = make(map[uint64]int)
			}
			plan.rename[f.id] = f.nth
		case "claude-split-parallel":
			if plan := p.at(f.rec, rule); f.rec != f.other {
				plan.group = f.other
				p.groups[f.other] = ""
			}
		}
	}
	for id := range pairs.called {
		p.taken[id] = true
	}
}

// reopened returns a message id for a record on the chain whose API message
// goes on behind another one. The client puts both parts together, before the
// other one, so that the results of the second part come too late. (Claude Code
// 2.1.332.)
func (p *claudePairer) reopened(rec int32) string {
	if p.reopen == nil {
		p.reopen = make(map[int32]string)
		seen := make(map[uint64]bool)
		last, id := uint64(0), ""
		for _, i := range p.chain {
			group := p.x.at(i).group
			if p.x.typ(i) != ccAssistant {
				continue
			}
			if group != last {
				if id = ""; group != 0 && seen[group] {
					id = "msg_" + p.r.freshUUID()
				}
			}
			if last = group; id != "" {
				p.reopen[i] = id
			}
			seen[group] = true
		}
	}
	return p.reopen[rec]
}

func (p *claudePairer) stray(f pairFault, rule string) {
	plan := p.at(f.rec, rule)
	if plan.stray == nil {
		plan.stray = make(map[uint64]bool)
	}
	plan.stray[f.id] = true
}

// settle plans an answer to a call: behind the last record of its API message on
// the chain, which the next one then follows.
func (p *claudePairer) settle(rec int32, id uint64) {
	if p.places == nil {
		p.findEnds()
	}
	place, ok := p.places[rec]
	if !ok {
		if place, ok = p.first[p.x.at(rec).group]; !ok {
			return
		}
	}
	place = p.ends[place]
	plan := p.at(p.chain[place], "")
	plan.settle = append(plan.settle, id)
	p.calls[id] = ""
	if place+1 < len(p.chain) {
		p.at(p.chain[place+1], "").follow = true
	}
}

// findEnds finds, for each place on the chain, where the run of records of one
// API message that it is a part of ends.
func (p *claudePairer) findEnds() {
	p.places, p.first, p.ends = make(map[int32]int), make(map[uint64]int), make([]int, len(p.chain))
	next := -1 // the next message on the chain
	for k := len(p.chain) - 1; k >= 0; k-- {
		i := p.chain[k]
		p.places[i], p.ends[k] = k, k
		group := p.x.at(i).group
		if t := p.x.typ(i); t != ccUser && t != ccAssistant {
			continue
		} else if t == ccAssistant && group != 0 {
			p.first[group] = k
			if next >= 0 && p.x.typ(p.chain[next]) == ccAssistant && p.x.at(p.chain[next]).group == group {
				p.ends[k] = p.ends[next]
			}
		}
		next = k
	}
}

// answers plans what is to be done about single answers on the sequence.
func (p *claudePairer) answers(w *claudeWalk) {
	first := true
	j := &claudeJudge{claudeFile: p.c, w: w}
	for k, i := range p.seq {
		e := p.x.at(i)
		if t := p.x.typ(i); t != ccUser && t != ccAssistant {
			continue
		}
		if first && e.marks&markContent != 0 {
			first = false
			if p.x.typ(i) == ccAssistant {
				p.at(p.chain[0], "claude-starts-with-assistant").start = true
			}
		}
		if e.marks&markThinkingLast != 0 && p.x.typ(i) == ccAssistant && j.endsAnswer(p.seq, k) {
			p.at(i, "claude-ends-in-thinking").trim = true
		}
	}
}

// gather reads the ids that the repair needs as they are written.
func (p *claudePairer) gather(ctx context.Context) error {
	return p.r.indexed(ctx, func(_ int, i int32, value []byte) error {
		if i < 0 {
			return nil
		}
		message := get(value, "message")
		if _, ok := p.groups[i]; ok {
			p.groups[i] = getString(message, "id")
		}
		if len(p.calls) == 0 || p.x.typ(i) != ccAssistant {
			return nil
		}
		for _, b := range elements(get(message, "content")) {
			if id := getString(b, "id"); getString(b, "type") == "tool_use" {
				if _, ok := p.calls[p.hash(id)]; ok {
					p.calls[p.hash(id)] = id
				}
			}
		}
		return nil
	})
}

// hash returns a call id's hash in the model that was planned with.
func (p *claudePairer) hash(id string) uint64 { return p.c.read.hash(id + "\x00") }

func (p *claudePairer) write(ctx context.Context) error {
	behind := make(map[int32]string) // uuids of answers, by the record that follows them
	next := make(map[int32]int32, len(p.plan))
	for k, i := range p.chain[:len(p.chain)-1] {
		if plan := p.plan[i]; plan != nil && len(plan.settle) > 0 {
			next[i] = p.chain[k+1]
			behind[p.chain[k+1]] = p.r.freshUUID()
		}
	}
	return p.r.step(func(s *stage) error {
		return p.r.indexed(ctx, func(line int, i int32, value []byte) error {
			plan := p.plan[i]
			if i < 0 || plan == nil {
				return s.put(line, value)
			}
			for _, rule := range plan.rules {
				p.r.change(rule, line, "")
			}
			raw := p.rewrite(i, plan, value)
			if plan.follow && behind[i] != "" {
				raw = set(raw, member{"parentUuid", text(behind[i])})
			}
			if plan.start {
				id := text(p.r.freshUUID())
				if err := s.put(line, p.beside(raw, id, null(), text(opening))); err != nil {
					return err
				}
				raw = set(raw, member{"parentUuid", id})
			}
			if err := s.put(line, raw); err != nil || len(plan.settle) == 0 {
				return err
			}
			id := behind[next[i]]
			if id == "" {
				id = p.r.freshUUID()
			}
			return s.put(line, p.beside(raw, text(id), get(raw, "uuid"), p.results(plan)))
		})
	})
}
