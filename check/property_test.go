package check

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// one draws one of the choices.
func one(t *rapid.T, label string, choices ...string) string {
	return rapid.SampledFrom(choices).Draw(t, label)
}

// claudeChaos draws a session whose records hang together by chance.
func claudeChaos(t *rapid.T) string {
	var b strings.Builder
	for i := range rapid.IntRange(1, 14).Draw(t, "records") {
		call := one(t, "call", "toolu_1", "toolu_2", "toolu_1_2", "a b", "")
		content, typ := one(t, "content",
			`"hello `+fmt.Sprint(i)+`"`, `" "`, `[]`, `[{"type":"text","text":"text `+fmt.Sprint(i)+`"}]`, `[{"type":"text","text":""}]`,
			`[{"type":"tool_use","id":"`+call+`","name":"Bash","input":{"n":`+fmt.Sprint(i)+`}}]`,
			`[{"type":"text","text":"with `+fmt.Sprint(i)+`"},{"type":"tool_use","id":"`+call+`","name":"B b","input":"x`+fmt.Sprint(i)+`"}]`,
			`[{"type":"tool_result","tool_use_id":"`+call+`","content":"result `+fmt.Sprint(i)+`"}]`,
			`[{"type":"thinking","thinking":"hm","signature":"`+one(t, "signature", "", "short", strings.Repeat("AbCd", 20))+`"}]`,
			`[{"type":"text","text":"then `+fmt.Sprint(i)+`"},{"type":"thinking","thinking":"hm","signature":"`+strings.Repeat("AbCd", 20)+`"}]`,
		), one(t, "type", "user", "assistant", "user", "assistant", "attachment", "system", "progress", "boundary", "summary", "last-prompt", "other", "none")
		own, before := fmt.Sprintf("r%d", i), fmt.Sprintf("r%d", i-1)
		if i == 0 {
			before = "null"
		}
		other := fmt.Sprintf("r%d", rapid.IntRange(0, max(0, i-1)).Draw(t, "other"))
		id := one(t, "uuid", own, own, own, own, own, own, own, own, other, "none")
		parent := one(t, "parent", before, before, before, before, before, before, other, "null", "absent", "gone")
		record := []string{fmt.Sprintf(`"timestamp":"2026-11-30T10:00:%02d.000Z"`, rapid.IntRange(0, 59).Draw(t, "second"))}
		if id != "none" {
			record = append(record, `"uuid":"`+id+`"`)
		}
		if typ == "boundary" {
			parent = "null"
		}
		switch parent {
		case "null":
			record = append(record, `"parentUuid":null`)
		case "absent":
		default:
			record = append(record, `"parentUuid":"`+parent+`"`)
		}
		if rapid.IntRange(0, 9).Draw(t, "side") == 9 {
			record = append(record, `"isSidechain":true`)
		}
		record = append(record, claudeKind(t, i, typ, content, parent)...)
		fmt.Fprintf(&b, "{%s}\n", strings.Join(record, ","))
	}
	return b.String()
}

func claudeKind(t *rapid.T, i int, typ, content, leaf string) []string {
	role := typ
	switch typ {
	case "user", "assistant", "none":
		if typ == "none" {
			role = "user"
		}
		message := `"role":"` + role + `","content":` + content
		if role == "assistant" {
			message += `,"id":"` + one(t, "message id", fmt.Sprintf("m%d", i), fmt.Sprintf("m%d", i-1), fmt.Sprintf("m%d", i-2), "") + `","model":"` + one(t, "model", "claude-opus-4-8", "<synthetic>", "other") + `"`
		}
		out := []string{`"message":{` + message + `}`}
		if typ != "none" {
			out = append(out, `"type":"`+typ+`"`)
		}
		return out
	case "summary":
		return []string{`"type":"user","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued."}`}
	case "boundary":
		return []string{`"type":"system","subtype":"compact_boundary","logicalParentUuid":"r` + fmt.Sprint(i-1) + `","compactMetadata":{"trigger":"auto"}`}
	case "last-prompt":
		return []string{`"type":"last-prompt","sessionId":"` + claudeID + `","leafUuid":"` + leaf + `"`}
	case "attachment":
		return []string{`"type":"attachment","attachment":{"type":"hook_success"}`}
	}
	return []string{`"type":"` + typ + `"`}
}

// codexChaos draws a rollout whose items pair by chance.
func codexChaos(t *rapid.T) string {
	var b strings.Builder
	mode := one(t, "mode", `"history_mode":"paginated",`, `"history_mode":"x",`, "", "")
	fmt.Fprintf(&b, `{"timestamp":"2026-11-30T10:00:00.000Z","ordinal":0,"type":"session_meta","payload":{%s"id":"%s","timestamp":"2026-11-30T10:00:00.000Z",%s"originator":"%s","cli_version":"1"}}`+"\n",
		mode, codexID, one(t, "cwd", `"cwd":"/w",`, ""), one(t, "originator", "codex-tui", "other"))
	for i := range rapid.IntRange(0, 14).Draw(t, "records") {
		call := one(t, "call", "c1", "c2", "c3", "")
		typ, payload := "response_item", one(t, "payload",
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"prompt %d"}]}`,
			`{"type":"message","role":"assistant","content":[{"type":"input_text","text":"answer %d"}]}`,
			`{"type":"message","role":"assistant","content":"plain %d"}`,
			`{"type":"message","role":"tool","content":[{"type":"text","text":"odd %d"},{"type":"image","n":%[1]d}]}`,
			`{"type":"function_call","name":"a b","arguments":{"n":%d},"call_id":"`+call+`"}`,
			`{"type":"function_call","name":"ab","arguments":"{\"n\":%d}","call_id":"`+call+`"}`,
			`{"type":"custom_tool_call","name":"ab","input":"n %d","call_id":"`+call+`"}`,
			`{"type":"function_call_output","output":"out %d","call_id":"`+call+`"}`,
			`{"type":"function_call_output","output":{"n":%d},"call_id":"`+call+`"}`,
			`{"type":"custom_tool_call_output","output":[{"type":"input_text","text":"list %d"}],"call_id":"`+call+`"}`,
			`{"type":"reasoning","summary":[],"encrypted_content":"x%d"}`, `{"type":"reasoning","n":%d}`,
			`C{"message":"summary %d"}`,
			`C{"message":"summary %d","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"kept %[1]d"}]},{"type":"reasoning","summary":[]}]}`,
			`E{"type":"user_message","message":"prompt %d"}`, `E{"type":"thread_rolled_back","num_turns":1,"n":%d}`, `E{"type":"agent_message","message":"shown %d"}`,
		)
		switch payload[0] {
		case 'C':
			typ, payload = "compacted", payload[1:]
		case 'E':
			typ, payload = "event_msg", payload[1:]
		}
		ordinal := one(t, "ordinal", fmt.Sprintf(`"ordinal":%d,`, i+1), fmt.Sprintf(`"ordinal":%d,`, i+1), "", `"ordinal":"x",`)
		stamp := one(t, "stamp", `"timestamp":"2026-11-30T10:00:01.000Z",`, `"timestamp":"2026-11-30T10:00:01.000Z",`, `"timestamp":1796032805,`, "")
		fmt.Fprintf(&b, `{%s%s"type":"%s","payload":%s}`+"\n", stamp, ordinal, typ, fmt.Sprintf(payload, i))
	}
	return b.String()
}

func TestAnySessionIsRepaired(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { fuzzText(t, rt, agentClaude, claudeName, claudeChaos(rt)) })
}

func TestAnyRolloutIsRepaired(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { fuzzText(t, rt, agentCodex, codexName1, codexChaos(rt)) })
}

// fuzzText holds a drawn file to what fuzz demands of any bytes.
func fuzzText(_ *testing.T, t *rapid.T, agent, name, text string) {
	for _, problem := range problems(agent, name, []byte(text)) {
		t.Errorf("%s\n%s", problem, text)
	}
}
