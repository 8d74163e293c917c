package check

import "bytes"

// claudeJudge compares what the file holds with what the client reaches.
type claudeJudge struct {
	*claudeFile
	w *claudeWalk
	// copied marks records that stand in the file twice, all but the last.
	copied []bool
	// spoken marks messages whose loss a finding already tells.
	spoken []bool
	cut    bool // the chain begins in the middle
}

// share counts the messages that are reached.
func (j *claudeJudge) share() Share {
	var s Share
	for i := range j.x.records.Len() {
		if !j.x.message(i) || j.copied[i] || j.x.at(i).marks&markContent == 0 {
			continue
		}
		s.All++
		if j.w.seen[i] {
			s.Chain++
		}
	}
	s.All += len(j.typeless)
	return s
}

// copies finds uuids that occur twice.
func (j *claudeJudge) copies() {
	j.copied, j.spoken = make([]bool, j.x.records.Len()), make([]bool, j.x.records.Len())
	for k := 1; k < len(j.x.byUUID); k++ {
		a, b := j.x.byUUID[k-1], j.x.byUUID[k]
		if j.x.at(a).uuid != j.x.at(b).uuid {
			continue
		}
		if j.same(a, b) {
			j.copied[a] = true
			j.found.add("claude-duplicate-record", int(j.x.at(b).line), "line %d is the same", j.x.at(a).line)
			continue
		}
		if j.x.message(a) && j.x.at(a).marks&markContent != 0 {
			j.spoken[a] = true
			j.found.add("claude-duplicate-uuid", int(j.x.at(b).line), "line %d has it too", j.x.at(a).line)
		}
	}
}

// same reports whether two records are alike byte for byte.
func (j *claudeJudge) same(a, b int32) bool {
	p, q := j.x.at(a), j.x.at(b)
	if p.size != q.size {
		return false
	}
	one, err := j.file.ReadAt(p.off, int(p.size))
	if err != nil {
		return false
	}
	two, err := j.file.ReadAt(q.off, int(q.size))
	return err == nil && bytes.Equal(one, two)
}

// members reports messages that lack what links them.
func (j *claudeJudge) members() {
	for _, i := range j.nameless {
		if !j.w.seen[i] {
			j.spoken[i] = true
			j.found.add("claude-missing-uuid", int(j.x.at(i).line), "")
		}
	}
	for _, i := range j.parentless {
		j.spoken[i] = true
		j.found.add("claude-missing-parent", int(j.x.at(i).line), "")
	}
}

// links reports what is wrong with the parents on the chain.
func (j *claudeJudge) links() {
	w := j.w
	if len(w.chain) == 0 {
		return
	}
	for k, i := range w.chain[1:] {
		if j.x.at(i).marks&markSidechain == 0 && j.x.at(w.chain[k]).marks&markSidechain != 0 {
			j.found.add("claude-sidechain-in-chain", int(j.x.at(i).line), "")
		}
	}
	root := w.chain[0]
	lost := j.lostBefore(root)
	j.cut = lost > 0 && w.root != rootBoundary
	for _, i := range w.bridged {
		if o := j.x.opaque(j.x.at(i).parent); o >= 0 && j.x.typ(o) == ccNone {
			continue // its own finding tells
		}
		j.found.add("claude-bridged-parent", int(j.x.at(i).line), "")
	}
	for _, i := range w.looped {
		if i != root || !j.cut {
			j.found.add("claude-bridged-cycle", int(j.x.at(i).line), "")
		}
	}
	if !j.cut {
		return
	}
	line := int(j.x.at(root).line)
	const detail = "%d earlier messages"
	switch w.root {
	case rootNull:
		j.found.add("claude-second-root", line, detail, lost)
	case rootMissing:
		if !j.afterNameless(root) {
			j.found.add("claude-dangling-parent", line, detail, lost)
		}
	case rootUnread:
		if o := j.x.opaque(j.x.at(root).parent); j.x.typ(o) == ccOther {
			j.found.add("claude-unknown-type", line, detail, lost)
		} else if len(j.typeless) == 0 {
			j.found.add("claude-dangling-parent", line, detail, lost)
		}
	case rootLoop:
		j.found.add("claude-parent-cycle", line, detail, lost)
	case rootAbsent, rootBoundary:
	}
}

// lostBefore counts the messages that stand before record root in the file and
// are not reached.
func (j *claudeJudge) lostBefore(root int32) int {
	n := 0
	for i := range root {
		if j.unreached(i) {
			n++
		}
	}
	return n
}

func (j *claudeJudge) unreached(i int32) bool {
	return !j.w.seen[i] && j.x.message(i) && !j.copied[i] && j.x.at(i).marks&markContent != 0
}

// afterNameless reports whether the message before record i has no uuid: then
// that, and not the parent that i names, is what breaks the chain.
func (j *claudeJudge) afterNameless(i int32) bool {
	for i--; i >= 0; i-- {
		if j.x.message(i) {
			return j.x.at(i).uuid == 0
		}
	}
	return false
}

// branches reports messages that lie on other branches than the client's.
func (j *claudeJudge) branches() {
	w := j.w
	if w.leaf < 0 {
		return
	}
	others, later, first := 0, 0, int32(-1)
	from := int32(0)
	if j.cut {
		from = w.chain[0] // what stands before is lost for another reason
	}
	for i := from; i < j.x.records.Len(); i++ {
		if !j.unreached(i) || j.spoken[i] {
			continue
		}
		if others++; first < 0 {
			first = i
		}
		if i > w.leaf {
			later++
		}
	}
	switch {
	case later > 0 && w.byPrompt:
		j.found.add("claude-stale-last-prompt", j.leafLine, "%d later messages", later)
	case later > 0 && w.end != w.leaf:
		j.found.add("claude-side-leaf", int(j.x.at(w.end).line), "%d later messages", later)
	case others > 0:
		j.found.add("claude-other-branch", int(j.x.at(first).line), "%d messages", others)
	}
}

// fastPath is the size in bytes above which the client discards on load what
// stands before the last compaction. (Claude Code 2.1.332.)
const fastPath = 5 << 20

// compaction reports what a compaction costs beside what it stands for.
func (j *claudeJudge) compaction(seq []int32) {
	last := int32(-1)
	for i := j.x.records.Len() - 1; i >= 0 && last < 0; i-- {
		if j.x.typ(i) == ccBoundary && j.x.at(i).marks&markSidechain == 0 {
			last = i
		}
	}
	if last >= 0 && j.file.Size() > fastPath {
		n := 0
		for _, i := range j.w.chain {
			if i < last && j.x.message(i) {
				n++
			}
		}
		if n > 0 {
			j.found.add("claude-size-fast-path", int(j.x.at(last).line), "%d messages", n)
		}
	}
	if j.w.root != rootBoundary {
		return
	}
	boundary := j.w.chain[0]
	if k, ok := j.x.kept[boundary]; ok && !j.keeps(k) {
		j.found.add("claude-preserved-missing", int(j.x.at(boundary).line), "")
	}
	for _, i := range seq {
		if !j.x.message(i) || j.x.at(i).marks&markContent == 0 {
			continue
		}
		if j.x.at(i).marks&markSummary == 0 && j.anyMessage(j.w.behind) {
			j.found.add("claude-boundary-without-summary", int(j.x.at(boundary).line), "")
		}
		return
	}
}

// anyMessage reports whether a message is among the records.
func (j *claudeJudge) anyMessage(records []int32) bool {
	for _, i := range records {
		if j.x.message(i) && j.x.at(i).marks&markContent != 0 {
			return true
		}
	}
	return false
}

// keeps reports whether the client finds the messages that a compaction keeps.
func (j *claudeJudge) keeps(k claudeKept) bool {
	if j.x.find(k.anchor) < 0 {
		return false
	}
	if len(k.uuids) > 0 {
		for _, u := range k.uuids {
			if j.x.find(u) < 0 {
				return false
			}
		}
		return true
	}
	head := j.x.find(k.head)
	i := j.x.find(k.tail)
	for steps := int32(0); i >= 0 && head >= 0 && steps <= j.x.records.Len(); steps++ {
		if i == head {
			return true
		}
		i = j.x.find(j.x.at(i).parent)
	}
	return false
}

// content reports the defects of what the model sees.
func (j *claudeJudge) content(seq []int32) {
	lastMessage := int32(-1)
	for _, i := range seq {
		if j.x.message(i) {
			lastMessage = i
		}
	}
	first := true
	for k, i := range seq {
		e := j.x.at(i)
		t := j.x.typ(i)
		if t != ccUser && t != ccAssistant {
			continue
		}
		for _, m := range claudeBlockMarks {
			if e.marks&m.mark != 0 {
				j.found.add(m.rule, int(e.line), "")
			}
		}
		if e.marks&markAPIError != 0 && i != lastMessage {
			j.found.add("claude-api-error", int(e.line), "")
		}
		if first && e.marks&markContent != 0 {
			first = false
			if t == ccAssistant {
				j.found.add("claude-starts-with-assistant", int(e.line), "")
			}
		}
		if e.marks&markThinkingLast != 0 && t == ccAssistant && j.endsAnswer(seq, k) {
			j.found.add("claude-ends-in-thinking", int(e.line), "")
		}
	}
	if foreignModel(j.model) {
		j.found.add("claude-foreign-model", j.modelLine, "%q", j.model)
	}
}

// endsAnswer reports whether the record at place k of the sequence ends an API
// message that holds more than thinking.
func (j *claudeJudge) endsAnswer(seq []int32, k int) bool {
	group := j.x.at(seq[k]).group
	for _, i := range seq[k+1:] {
		if t := j.x.typ(i); t == ccUser {
			break
		} else if t == ccAssistant {
			if group != 0 && j.x.at(i).group == group {
				return false
			}
			break
		}
	}
	for ; k >= 0; k-- {
		e := j.x.at(seq[k])
		switch t := j.x.typ(seq[k]); {
		case t == ccUser:
			return false
		case t != ccAssistant:
		case e.marks&markContent != 0:
			return true
		case group == 0 || e.group != group:
			return false
		}
	}
	return false
}
