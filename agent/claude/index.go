package claude

import (
	"cmp"
	"context"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/chunk"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

// entry is the index's memory of one chain record, 72 bytes.
type entry struct {
	off     int64
	uuid    uint64
	parent  uint64
	group   uint64 // of the API message; of a boundary its logical parent
	call    uint64 // first call or answered call
	content uint64 // of the message as written
	size    uint32
	line    uint32
	long    jsonx.Extent
	flags   flags
	typ     recordType
}

// index is what the first pass learns of a file.
type index struct {
	records   chunk.List[entry]
	byUUID    []int32 // sorted by the uuid's hash, later records last
	calls     map[int32][]uint64
	preserved map[int32]*preserved
	facts     facts
	read      canon.Extent
	// ends and said are where the last record ends, and the last in which
	// somebody says something.
	ends, said int64
}

// facts are what a file says beside its records.
type facts struct {
	title, aiTitle, summary     string
	firstPrompt                 string
	task                        string // the first prompt of a sidechain
	cwd, version, branch, model string
	sessionID                   string
	agentID                     string
	leaf                        string // the last last-prompt's
	created, updated            time.Time
	link                        link
	linkLine                    int
	forkedFrom                  string
	sidechains                  map[string]bool
	sidechainRecords            int
	anyParent, anyMain          bool
	unknown                     agent.Unknown
	parts, records, chain       int
	said                        int // records that hold conversation
	firstUUID                   uint64
	entrypoint                  string
	otherSession                int
	stem                        string // the session's id in the file's name
}

func (x *index) at(i int32) *entry { return x.records.At(i) }

// callsOf returns the hashes of the calls of a record, or of those it answers.
func (x *index) callsOf(i int32) []uint64 {
	e := x.at(i)
	if e.flags&flagMoreCalls != 0 {
		return x.calls[i]
	}
	if e.call == 0 {
		return nil
	}
	return []uint64{e.call}
}

// find returns the record with the uuid, the later one if it occurs twice, or
// -1.
func (x *index) find(uuid uint64) int32 {
	if uuid == 0 {
		return -1
	}
	i, ok := slices.BinarySearchFunc(x.byUUID, uuid, func(i int32, u uint64) int { return cmp.Compare(x.at(i).uuid, u) })
	if !ok {
		return -1
	}
	for i+1 < len(x.byUUID) && x.at(x.byUUID[i+1]).uuid == uuid {
		i++
	}
	return x.byUUID[i]
}

// parent returns the record that record i names as its parent, or -1. Mostly it
// is the one before.
func (x *index) parent(i int32) int32 {
	named := x.at(i).parent
	if i > 0 {
		if e := x.at(i - 1); named != 0 && e.uuid == named && e.flags&flagReplaced == 0 {
			return i - 1
		}
	}
	return x.find(named)
}

// build reads the whole file once.
func build(ctx context.Context, f *jsonl.File, r *canon.Report) (*index, *headReader, error) {
	h := &headReader{seed: maphash.MakeSeed()}
	if stem := strings.TrimSuffix(filepath.Base(f.Path()), ".jsonl"); uuid.Valid(stem) {
		h.facts.stem = stem
	}
	x := &index{calls: make(map[int32][]uint64), preserved: make(map[int32]*preserved)}
	parse := func(rec jsonl.Record) (int, error) {
		n, err := h.read(rec)
		if err != nil {
			return 0, err
		}
		x.record(h, rec, n)
		return n, nil
	}
	var err error
	if x.read, err = agent.Index(ctx, f, r, parse); err != nil {
		return nil, nil, err
	}
	x.facts = h.facts
	x.sort(r)
	return x, h, nil
}

func (x *index) sort(r *canon.Report) {
	x.byUUID = make([]int32, 0, x.records.Len())
	for i := range x.records.Len() {
		if x.at(i).uuid != 0 {
			x.byUUID = append(x.byUUID, i)
		}
	}
	slices.SortFunc(x.byUUID, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.at(a).uuid, x.at(b).uuid), cmp.Compare(a, b))
	})
	twice := 0
	for i := 1; i < len(x.byUUID); i++ {
		if earlier := x.at(x.byUUID[i-1]); earlier.uuid == x.at(x.byUUID[i]).uuid {
			earlier.flags |= flagReplaced
			twice++
		}
	}
	if r != nil {
		r.Note("duplicate-uuids", twice)
	}
}

// record files what h read.
func (x *index) record(h *headReader, rec jsonl.Record, n int) {
	hd, s, f := &h.head, &h.side, &h.facts
	f.records++
	x.ends = rec.Off + int64(n)
	if s.isParts {
		f.parts++
	}
	f.bookkeeping(hd, s)
	if hd.uuid == 0 && !s.isChainType {
		if !bookkeepingTypes[hd.typeName] {
			f.countUnknown(hd.typeName)
		}
		return
	}
	said := f.said
	f.envelope(hd, s)
	e := entry{
		off: rec.Off, uuid: hd.uuid, parent: hd.parent, group: hd.group, content: hd.content,
		size: uint32(n), line: uint32(rec.Line), long: h.dec.Longest(), flags: hd.flags, typ: hd.typ,
	}
	if s.link.Call == string(canon.CallProvider) {
		e.flags |= flagProvider
	}
	if hd.typ == recOther && !bookkeepingTypes[hd.typeName] {
		e.flags |= flagUnknown
	}
	if len(hd.calls) > 0 {
		e.call = hd.calls[0]
	}
	if len(hd.calls) > 1 {
		e.flags |= flagMoreCalls
	}
	if f.said > said && hd.flags&flagSummary == 0 && !hd.scaffold {
		x.said = x.ends
	}
	i := x.records.Add(e)
	if len(hd.calls) > 1 {
		x.calls[i] = slices.Clone(hd.calls)
	}
	if hd.preserved != nil {
		x.preserved[i] = hd.preserved
	}
}

// bookkeeping collects what records outside the chain say.
func (f *facts) bookkeeping(hd *head, s *side) {
	switch hd.typeName {
	case "custom-title":
		f.title = firstOf(s.customTitle, s.title, f.title)
	case "ai-title": // two of 219 public ones have "title"
		f.aiTitle = firstOf(s.aiTitle, s.title, f.aiTitle)
	case "summary":
		f.summary = firstOf(s.summary, f.summary)
	case "last-prompt":
		f.leaf = firstOf(s.leaf, f.leaf)
	case linkType:
		f.link, f.linkLine = s.link, s.line
	}
	if f.sessionID == "" {
		f.sessionID = s.sessionID
	}
	// A session is what its file's name says. (Claude Code 2.1.332.)
	if s.sessionID != "" && s.sessionID != firstOf(f.stem, f.sessionID) {
		f.otherSession++
	}
}

// firstOf returns the first value that is not empty.
func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// envelope collects what chain records repeat.
func (f *facts) envelope(hd *head, s *side) {
	f.anyParent = f.anyParent || hd.flags&flagHasParent != 0
	if hd.flags&flagSidechain != 0 {
		f.sidechain(hd, s)
	} else {
		f.anyMain = true
	}
	if f.firstUUID == 0 {
		f.firstUUID = hd.uuid
	}
	if f.forkedFrom == "" && s.asked != firstOf(f.stem, s.sessionID) {
		f.forkedFrom = s.asked // Claude Code 2.1.332 says so with --fork-session.
	}
	f.chain++
	if f.entrypoint == "" {
		f.entrypoint = s.entrypoint
	}
	if f.cwd == "" {
		f.cwd = s.cwd
	}
	if s.version != "" {
		f.version = s.version
	}
	if s.branch != "" {
		f.branch = s.branch
	}
	if s.model != "" && s.model != syntheticModel {
		f.model = s.model
	}
	if t := hd.time; !t.IsZero() {
		if f.created.IsZero() {
			f.created = t
		}
		f.updated = t
	}
	f.conversation(hd)
}

func (f *facts) sidechain(hd *head, s *side) {
	f.sidechainRecords++
	if f.sidechains == nil {
		f.sidechains = make(map[string]bool)
	}
	if s.agentID != "" || hd.flags&flagHasParent == 0 {
		f.sidechains[s.agentID] = true
	}
	if f.agentID == "" {
		f.agentID = s.agentID
	}
}

// conversation counts the records in which somebody says something: not what
// the client puts in or notes by itself.
func (f *facts) conversation(hd *head) {
	switch {
	case hd.flags&flagQueued != 0, hd.typ == recAssistant && hd.flags&flagAPIError == 0:
		f.said++
	case hd.typ != recUser, hd.content == 0 && hd.typed == "":
	case hd.flags&(flagSummary|flagResult) != 0:
		f.said++
	case hd.flags&flagMeta != 0, scaffoldTag(canon.NewText(hd.typed)) != "":
	default:
		f.said++
		prompt := strings.TrimSpace(hd.typed)
		if hd.flags&flagSidechain != 0 {
			f.task = firstOf(f.task, prompt)
		} else {
			f.firstPrompt = firstOf(f.firstPrompt, prompt)
		}
	}
}

func (f *facts) countUnknown(typ string) {
	f.unknown.Add(typ)
}
