package session

func (f *codex) reasoning(on bool) {
	f.open("response_item", "reasoning")
	f.add(`,"id":"`, f.id("rs_", 50), `","summary":[`)
	if f.chance(15) {
		f.add(`{"type":"summary_text","text":"**`)
		f.b = f.prose(f.b, f.between(60, 400))
		f.add(`"}`)
	}
	f.add(`],"content":null,"encrypted_content":"`)
	f.b = f.base64(append(f.b, "gAAAAAB"...), f.between(400, 1400))
	f.add(`"`)
	f.shutItem(on)
}

// exec writes a call of the shell; its arguments are JSON in a string.
func (f *codex) exec(call string, on bool) {
	inner := append([]byte(nil), `{"cmd":"cd `...)
	inner = append(append(inner, f.o.Dir...), ` && rg -n \"`...)
	inner = append(f.phrase(inner, 2), `\" `...)
	inner = f.path(inner)
	if f.chance(25) {
		inner = f.code(append(inner, `\npython3 - <<'PY'\n`...), f.between(100, 1500))
		inner = append(inner, `PY`...)
	}
	inner = append(append(append(inner, `","workdir":"`...), f.o.Dir...), `","yield_time_ms":1000}`...)
	f.open("response_item", "function_call")
	f.add(`,"id":"`, f.id("fc_", 50), `","name":"exec_command","arguments":"`)
	f.b = requote(f.b, inner)
	f.add(`","call_id":"`, call, `"`)
	f.shutItem(on)
}

// patch writes a call whose input is free text.
func (f *codex) patch(call string, on bool) {
	f.open("response_item", "custom_tool_call")
	f.add(`,"id":"`, f.id("ctc_", 50), `","status":"completed","call_id":"`, call, `","name":"apply_patch","input":"*** Begin Patch\n*** Update File: `)
	f.b = f.path(f.b)
	f.add(`\n@@\n`)
	f.b = f.code(f.b, f.between(200, 3500))
	f.add(`*** End Patch"`)
	f.shutItem(on)
}

// output writes what a call gave.
func (f *codex) output(call string, patch, on bool) {
	if patch {
		f.patchEnd(call)
		f.open("response_item", "custom_tool_call_output")
		f.add(`,"id":"`, f.id("ctco_", 36), `","call_id":"`, call, `","output":[{"type":"input_text","text":"Script completed\nWall time 0.1 seconds\n"},`,
			`{"type":"input_text","text":"Success. Updated the following files:\nM `)
		f.b = f.path(f.b)
		f.add(`\n`)
		f.b = f.file.output(f.b, f.outputSize(on)/2)
		f.add(`"}]`)
		f.shutItem(on)
		return
	}
	size := f.outputSize(on)
	if on && f.o.Shape == Active && f.o.Long > 0 && !f.long && f.stats.Bytes > f.o.Size/3 {
		f.long, size = true, f.o.Long-500
	}
	f.open("response_item", "function_call_output")
	f.add(`,"id":"`, f.id("fco_", 36), `","call_id":"`, call, `","output":"Chunk ID: `)
	f.b = f.digits(f.b, 6, hexDigits)
	f.add(`\nWall time: 0.0519 seconds\nProcess exited with code 0\nOriginal token count: `)
	f.int(size / 4)
	f.add(`\nOutput:\n`)
	if f.chance(50) {
		f.b = f.code(f.b, size)
	} else {
		f.b = f.file.output(f.b, size)
	}
	f.add(`"`)
	f.shutItem(on)
}

// patchEnd tells the screen what a patch changed.
func (f *codex) patchEnd(call string) {
	f.event("patch_apply_end")
	f.add(`,"call_id":"`, call, `","turn_id":"`, f.turnID, `","stdout":"Success.","stderr":"","success":true,"changes":{"`)
	f.b = f.path(f.b)
	f.add(`":{"type":"update","unified_diff":"@@ -43,2 +43,4 @@\n`)
	f.b = f.code(f.b, f.between(200, 3500))
	f.add(`","move_path":null}},"status":"completed"`)
	f.shut(false)
}

func (f *codex) tokenCount() {
	f.tokens += f.between(200, 3000)
	f.event("token_count")
	f.add(`,"info":{`)
	for i, name := range [...]string{"total_token_usage", "last_token_usage"} {
		if i > 0 {
			f.add(`,`)
		}
		f.add(`"`, name, `":{"input_tokens":`)
		f.int(f.tokens)
		f.add(`,"cached_input_tokens":`)
		f.int(f.tokens / 2)
		f.add(`,"cache_write_input_tokens":0,"output_tokens":`)
		f.int(f.tokens / 90)
		f.add(`,"reasoning_output_tokens":46,"total_tokens":`)
		f.int(f.tokens + f.tokens/90)
		f.add(`}`)
	}
	f.add(`,"model_context_window":258400},"rate_limits":{"limit_id":"codex","limit_name":null,"primary":{"used_percent":15.0,"window_minutes":10080,`,
		`"resets_at":1783486836},"secondary":null,"credits":{"has_credits":false,"unlimited":false,"balance":"0"},"individual_limit":null,`,
		`"spend_control_reached":null,"plan_type":"pro","rate_limit_reached_type":null}`)
	f.shut(false)
}

// screen writes what only a screen shows: the results of MCP tools, and how much
// was used.
func (f *codex) screen() {
	for range f.between(3, 12) {
		f.event("mcp_tool_call_end")
		f.add(`,"call_id":"`, f.id("exec-", 36), `","invocation":{"server":"atlas","tool":"search_code","arguments":{"query":"`)
		f.b = f.phrase(f.b, 4)
		f.add(`","exact":false}},"duration":{"secs":0,"nanos":879287459},"result":{"Ok":{"content":[{"type":"text","text":"`)
		f.b = f.file.output(f.b, f.outputSize(false))
		f.add(`"}]}}`)
		f.shut(false)
		f.tokenCount()
	}
}
