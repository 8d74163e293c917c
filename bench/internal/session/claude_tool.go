package session

// The tools that the made-up sessions call.
const (
	toolBash = iota
	toolRead
	toolEdit
	toolGrep
)

// call writes a tool call.
func (f *claude) call(parent, msg, req, call string, tool int, on bool) string {
	id := f.answer(parent, msg)
	f.add(`{"type":"tool_use","id":"`, call, `","name":"`, [...]string{"Bash", "Read", "Edit", "Grep"}[tool], `","input":{`)
	switch tool {
	case toolBash:
		f.add(`"command":"cd `, f.o.Dir, ` && go test ./`)
		f.b = f.path(f.b)
		f.add(` 2>&1 | grep -n \"`, f.word(), `\"`)
		if f.chance(25) {
			f.add(`\ncat <<'EOF' > `, f.word(), `.txt\n`)
			f.b = f.code(f.b, f.between(200, 2500))
			f.add(`EOF`)
		}
		f.add(`","description":"`)
		f.b = f.phrase(f.b, 5)
		f.add(`"`)
	case toolRead:
		f.add(`"file_path":"`, f.o.Dir, `/`)
		f.b = f.path(f.b)
		f.add(`","offset":`)
		f.b = f.number(f.b, 500)
	case toolEdit:
		f.add(`"replace_all":false,"file_path":"`, f.o.Dir, `/`)
		f.b = f.path(f.b)
		f.add(`","old_string":"`)
		f.b = f.code(f.b, f.between(60, 1500))
		f.add(`","new_string":"`)
		f.b = f.code(f.b, f.between(60, 2200))
		f.add(`"`)
	default:
		f.add(`"pattern":"`, f.word(), `.*`, f.word(), `","output_mode":"content","-n":true,"head_limit":50`)
	}
	f.add(`}}`)
	f.answered(id, req, `"tool_use"`, on)
	return id
}

// result writes a tool's result and its twin for the screen.
func (f *claude) result(parent, call string, tool int, on bool) string {
	id := f.uuid()
	size := f.outputSize(on)
	if on && f.o.Shape == Active && f.o.Long > 0 && !f.long && f.stats.Bytes > f.o.Size/3 {
		f.long, size, tool = true, f.o.Long/2-600, toolRead
	}
	f.open(parent)
	f.add(`,"promptId":"`, f.uuid(), `","type":"user","message":{"role":"user","content":[{"tool_use_id":"`, call, `","type":"tool_result","content":"`)
	at := len(f.b)
	switch tool {
	case toolEdit:
		f.add(`The file has been updated. Here is a snippet:\n`)
		f.b = f.code(f.b, min(size, 1800))
	case toolRead:
		f.b = f.code(f.b, size)
	default:
		f.b = f.output(f.b, size)
	}
	to := len(f.b)
	f.add(`"`)
	if failed := f.chance(8); failed || f.chance(30) {
		f.add(`,"is_error":`, [...]string{"false", "true"}[btoi(failed)])
	}
	f.add(`}]}`)
	f.stamped(id)
	f.add(`,"toolUseResult":{`)
	f.twin(at, to, tool, size)
	f.add(`},"sourceToolAssistantUUID":"`, parent, `"`)
	f.shut(on)
	return id
}

// twin writes what the screen shows of the result at f.b[at:to].
func (f *claude) twin(at, to, tool, size int) {
	switch tool {
	case toolBash:
		f.add(`"stdout":"`)
		f.b = append(f.b, f.b[at:to]...)
		f.add(`","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false`)
	case toolRead:
		f.add(`"type":"text","file":{"filePath":"`, f.o.Dir, `/`)
		f.b = f.path(f.b)
		f.add(`","content":"`)
		f.b = append(f.b, f.b[at:to]...)
		f.add(`","numLines":79,"startLine":1,"totalLines":79}`)
	case toolEdit:
		f.add(`"filePath":"`, f.o.Dir, `/`)
		f.b = f.path(f.b)
		f.add(`","originalFile":"`)
		f.b = f.code(f.b, size)
		f.add(`","structuredPatch":[{"oldStart":12,"oldLines":7,"newStart":12,"newLines":9,"lines":["`)
		for range f.between(4, 30) {
			f.b = f.phrase(append(f.b, ` \t`...), 6)
			f.add(`","`)
		}
		f.add(`"]}],"userModified":false,"replaceAll":false`)
	default:
		f.add(`"mode":"content","numFiles":0,"filenames":[],"content":"`)
		f.b = append(f.b, f.b[at:to]...)
		f.add(`","numLines":41`)
	}
}

// attachment writes what the client puts in by itself.
func (f *claude) attachment(parent string, on bool) string {
	id := f.uuid()
	f.open(parent)
	f.add(`,"attachment":{"type":"skill_listing","content":"`)
	f.b = f.prose(f.b, f.between(400, 6000))
	f.add(`","skillCount":38,"isInitial":true},"type":"attachment"`)
	f.stamped(id)
	f.shut(on)
	return id
}

// hookProgress writes a hook's progress beside the chain.
func (f *claude) hookProgress(parent, call string) {
	f.open(parent)
	f.envelope()
	f.add(`,"type":"progress","data":{"type":"bash_progress","output":"`)
	f.b = f.output(f.b, f.between(100, 1500))
	f.add(`","elapsedTimeSeconds":4,"totalLines":12},"toolUseID":"bash-progress-1","parentToolUseID":"`, call, `"`)
	f.stamped(f.uuid())
	f.add(`}`)
	f.end(false)
}

// agentProgress writes what a subagent does, beside the chain.
func (f *claude) agentProgress(parent string) {
	call := f.id("toolu_01", 22)
	for range f.between(3, 12) {
		f.open(parent)
		f.envelope()
		f.add(`,"type":"progress","data":{"type":"agent_progress","message":{"type":"user","message":{"role":"user","content":[{"tool_use_id":"`, call,
			`","type":"tool_result","content":"`)
		f.b = f.output(f.b, f.outputSize(false))
		f.add(`"}]},"uuid":"`, f.uuid(), `","timestamp":"`)
		f.stamp()
		f.add(`"},"normalizedMessages":[]},"toolUseID":"agent_msg_01","parentToolUseID":"`, call, `"`)
		f.stamped(f.uuid())
		f.add(`}`)
		f.end(false)
	}
}

// snapshot writes a record that is not in the chain.
func (f *claude) snapshot() {
	id := f.uuid()
	f.b = append(f.b[:0], `{"type":"file-history-snapshot","messageId":"`...)
	f.add(id, `","snapshot":{"messageId":"`, id, `","trackedFileBackups":{`)
	for i := range f.between(0, 8) {
		if i > 0 {
			f.add(`,`)
		}
		f.add(`"`)
		f.b = f.path(f.b)
		f.add(`":{"backupFileName":"`)
		f.b = f.digits(f.b, 16, hexDigits)
		f.add(`@v2","version":2,"backupTime":"`)
		f.stamp()
		f.add(`"}`)
	}
	f.add(`},"timestamp":"`)
	f.stamp()
	f.add(`"},"isSnapshotUpdate":false}`)
	f.end(false)
}

func (f *claude) mode() {
	f.b = append(f.b[:0], `{"type":"permission-mode","permissionMode":"default","sessionId":"`...)
	f.add(f.o.ID, `"}`)
	f.end(false)
}

// lastPrompt ends the file and names the active branch.
func (f *claude) lastPrompt(leaf string) {
	f.b = append(f.b[:0], `{"type":"ai-title","sessionId":"`...)
	f.add(f.o.ID, `","aiTitle":"`)
	f.b = f.phrase(f.b, 5)
	f.add(`"}`)
	f.end(false)
	f.b = append(f.b[:0], `{"type":"last-prompt","lastPrompt":"`...)
	f.b = f.phrase(f.b, 12)
	f.add(`","leafUuid":"`, leaf, `","sessionId":"`, f.o.ID, `"}`)
	f.end(false)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
