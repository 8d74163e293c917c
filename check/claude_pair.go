package check

// pairFault is one thing that is wrong with the pairing of calls and results.
type pairFault struct {
	rule string
	// rec is the record to report, or, silently, one that takes part.
	rec    int32
	silent bool
	// other is the record of the call of a late result, or the one whose message
	// id a parallel call should have.
	other int32
	id    uint64
	// nth counts the calls with one id, from 1.
	nth int
}

// claudePairs pairs calls and results in the order in which the model sees
// them. The client wants the results of an API message directly behind it.
type claudePairs struct {
	c   *claudeFile
	x   *claudeIndex
	seq []int32

	faults  []pairFault
	ahead   map[uint64]int32 // results that are still to come
	toCall  map[uint64]int32 // calls that are still to come
	called  map[uint64]int   // calls so far
	early   map[uint64]int   // results that came before their call
	late    map[uint64][]pendingCall
	foster  map[uint64]int  // results of calls that stand in user messages
	parts   map[uint64]bool // calls that the client takes for parts of another
	beside  map[uint64]bool // answered off the sequence; made when needed
	pending []pendingCall
	waiting map[uint64][]int32 // the pending calls by id
	group   uint64
	message int     // number of the API message
	answers []int32 // records of the answers since the last user record
	inUser  bool
	typed   bool // a user message that is no result came since the answer
	calls   bool // the API message has calls
	silent  int  // number of the last one before it without calls
	since   int  // number of the first API message since the last user record
	started bool
}

// pendingCall is a call that waits for its result.
type pendingCall struct {
	id       uint64
	rec      int32
	nth      int
	message  int
	answered bool
}

func newClaudePairs(c *claudeFile, seq []int32) *claudePairs {
	p := &claudePairs{
		c: c, x: c.x, seq: seq, ahead: make(map[uint64]int32), toCall: make(map[uint64]int32),
		waiting: make(map[uint64][]int32), called: make(map[uint64]int), early: make(map[uint64]int), late: make(map[uint64][]pendingCall),
		foster: make(map[uint64]int), parts: make(map[uint64]bool),
	}
	for _, i := range seq {
		counts := p.ahead
		if p.x.typ(i) == ccAssistant {
			counts = p.toCall
		}
		for _, id := range p.x.ids(i) {
			counts[id]++
		}
	}
	for _, i := range seq {
		for _, d := range p.x.derived[i] {
			if p.toCall[d.base] > 0 {
				p.parts[d.id] = true
			}
		}
	}
	return p
}

// judge reports the faults.
func (p *claudePairs) judge() {
	told := pairFault{rec: -1}
	for _, f := range p.find() {
		if f.silent || f.rule == told.rule && f.rec == told.rec {
			continue
		}
		told = f
		p.c.found.add(f.rule, int(p.x.at(f.rec).line), "")
	}
}

// find returns the faults in order.
func (p *claudePairs) find() []pairFault {
	for _, i := range p.seq {
		switch p.x.typ(i) {
		case ccAssistant:
			p.assistant(i)
		case ccUser:
			p.user(i)
		default:
		}
	}
	p.close(true, -1)
	return p.faults
}

func (p *claudePairs) assistant(i int32) {
	e := p.x.at(i)
	for _, id := range p.x.misplaced[i] {
		// Its own finding tells; the call is not unanswered beside that.
		if w := p.waiting[id]; len(w) > 0 {
			p.waiting[id] = w[1:]
			p.pending[w[0]].answered = true
		}
	}
	if p.inUser || p.group == 0 || e.group != p.group {
		p.close(false, i)
		if !p.calls {
			p.silent = p.message
		}
		p.message++
		p.calls = false
		if p.inUser || len(p.answers) == 0 {
			p.since = p.message
			p.answers = p.answers[:0]
		}
	}
	p.group, p.inUser, p.typed = e.group, false, false
	p.answers = append(p.answers, i)
	if e.marks&markContent != 0 {
		p.started = true
	}
	if e.marks&markCalls == 0 {
		return
	}
	p.calls = true
	for _, id := range p.x.ids(i) {
		p.toCall[id]--
		p.called[id]++
		nth := p.called[id]
		if nth > 1 {
			p.faults = append(p.faults, pairFault{rule: "claude-repeated-call-id", rec: i, id: id, nth: nth})
		}
		if p.parts[id] {
			p.faults = append(p.faults, pairFault{rule: "claude-derived-call-id", rec: i, id: id, nth: max(nth, 2)})
		}
		call := pendingCall{id: id, rec: i, nth: nth, message: p.message}
		if p.early[id] > 0 {
			p.early[id]--
			call.answered = true
		} else {
			p.waiting[id] = append(p.waiting[id], int32(len(p.pending)))
		}
		p.pending = append(p.pending, call)
	}
}

func (p *claudePairs) user(i int32) {
	e := p.x.at(i)
	p.inUser = true
	for _, id := range p.x.misplaced[i] {
		p.foster[id]++
	}
	if e.marks&markResults == 0 {
		if e.marks&(markContent|markBlank) != 0 {
			p.typed, p.started = true, true
		}
		return
	}
	for _, id := range p.x.ids(i) {
		p.ahead[id]--
		p.result(i, id)
	}
	p.started = true
}

func (p *claudePairs) result(i int32, id uint64) {
	if w := p.waiting[id]; len(w) > 0 {
		p.waiting[id] = w[1:]
		c := &p.pending[w[0]]
		c.answered = true
		if p.parts[id] {
			p.faults = append(p.faults, pairFault{rule: "claude-derived-call-id", rec: i, silent: true, id: id, nth: max(c.nth, 2)})
		}
		if c.nth > 1 {
			p.faults = append(p.faults, pairFault{rule: "claude-repeated-call-id", rec: i, silent: true, id: id, nth: c.nth})
		}
		return
	}
	switch open := p.late[id]; {
	case p.foster[id] > 0:
		p.foster[id]--
	case len(open) > 0:
		p.late[id] = open[1:]
		p.tooLate(i, open[0])
	case p.called[id] > 0:
		p.faults = append(p.faults, pairFault{rule: "claude-repeated-result", rec: i, id: id})
	case p.toCall[id] > 0:
		p.early[id]++ // the client moves it behind its call
	case !p.started:
		p.faults = append(p.faults, pairFault{rule: "claude-starts-with-result", rec: i, id: id})
	default:
		p.faults = append(p.faults, pairFault{rule: "claude-orphan-result", rec: i, id: id})
	}
}

// tooLate handles a result that does not follow its API message directly:
// another one came between, which is a parallel call with a message id of its
// own, or a later answer.
func (p *claudePairs) tooLate(i int32, c pendingCall) {
	if c.message >= p.since && p.calls && p.silent < c.message {
		p.split(c)
		return
	}
	p.faults = append(p.faults, pairFault{rule: "claude-late-result", rec: i, other: c.rec, id: c.id})
}

// split reports c as one of several parallel calls without a common id.
func (p *claudePairs) split(c pendingCall) {
	p.faults = append(p.faults, pairFault{rule: "claude-split-parallel", rec: c.rec, other: c.rec, id: c.id})
	for _, a := range p.answers {
		if a > c.rec {
			p.faults = append(p.faults, pairFault{rule: "claude-split-parallel", rec: a, silent: true, other: c.rec})
		}
	}
}

// close judges the calls of the API message that ends; next is the record that
// ends it, if that is an answer.
func (p *claudePairs) close(end bool, next int32) {
	beside := p.answeredRecords()
	for _, c := range p.pending {
		if c.answered {
			continue
		}
		switch {
		case p.ahead[c.id] > 0:
			p.late[c.id] = append(p.late[c.id], c)
		case end && !p.typed, beside[c.rec]:
			p.faults = append(p.faults, pairFault{rule: "claude-open-call", rec: c.rec, id: c.id})
		case next >= 0 && !p.inUser && p.x.at(next).marks&markCalls != 0 && p.answeredOff(c.id):
			p.faults = append(p.faults,
				pairFault{rule: "claude-split-parallel", rec: c.rec, other: c.rec, id: c.id},
				pairFault{rule: "claude-split-parallel", rec: next, silent: true, other: c.rec})
		default:
			p.faults = append(p.faults, pairFault{rule: "claude-unanswered-call", rec: c.rec, id: c.id})
		}
	}
	for _, c := range p.pending {
		delete(p.waiting, c.id)
	}
	p.pending = p.pending[:0]
}

// answeredRecords returns the records of the API message of which a call is
// answered, if one is not: there the client makes the missing result.
func (p *claudePairs) answeredRecords() map[int32]bool {
	open := false
	for _, c := range p.pending {
		open = open || !c.answered
	}
	if !open {
		return nil
	}
	answered := make(map[int32]bool)
	for _, c := range p.pending {
		if c.answered {
			answered[c.rec] = true
		}
	}
	return answered
}

// answeredOff reports whether a result for the call stands in the file, but not
// in the sequence.
func (p *claudePairs) answeredOff(id uint64) bool {
	if p.beside == nil {
		p.beside = make(map[uint64]bool)
		on := make([]bool, p.x.records.Len())
		for _, i := range p.seq {
			on[i] = true
		}
		for i := range p.x.records.Len() {
			if !on[i] && p.x.typ(i) == ccUser && p.x.at(i).marks&markResults != 0 {
				for _, id := range p.x.ids(i) {
					p.beside[id] = true
				}
			}
		}
	}
	return p.beside[id]
}
