package canonical

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// Whatever the file is, reading never panics, and what was read survives being
// written and read again.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		header + "\n" + hello + "\n" + answer + "\n",
		header + hello[:20] + answer,
		header + "\n" + `{"type":"message","message":{"id":"m","group":"g","role":"assistant","time":"2026-01-02T03:04:05.6+07:00","usage":{"input":1,"output":2},"line":9,` +
			`"ext":{"dialect":"anthropic","members":[{"name":"a","json":{"b":1e5}},{"name":"c","json_text":"[\n]"}]},"blocks":[` +
			`{"type":"reasoning","text":"t","summary":["s"],"capsule":{"issuer":"anthropic","sealed":"AA=="},"redacted":true},` +
			`{"type":"tool_call","call_id":"c","name":"Bash","namespace":"n","call":"shell","input":{"json":{"a":"\u00e9"}},"synthesized":true},` +
			`{"type":"tool_result","call_id":"c","is_error":true,"content":[{"type":"image","media_type":"image/png","data":"AA=="},{"type":"other","dialect":"x","native_type":"y","json":[1]}]},` +
			`{"type":"compaction","capsule":{"sealed":"x"}},{"type":"document","url":"https://x","name":"n"},{"type":"new"}]}}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := open(t.Context(), jsonl.FromBytes("x", file), "x", agent.OpenOptions{Report: new(canon.Report)})
		if err != nil {
			return
		}
		s.Calls()
		msgs := messages(t, s)
		once := encode(t, s.Thread(), msgs...)
		th, again := decode(t, once, agent.OpenOptions{})
		if d := cmp.Diff(s.Thread(), th, equal()); d != "" {
			t.Errorf("thread (-want +got):\n%s", d)
		}
		if d := cmp.Diff(msgs, again, equal()); d != "" {
			t.Errorf("messages (-want +got):\n%s", d)
		}
		if twice := encode(t, th, again...); !bytes.Equal(once, twice) {
			t.Errorf("encoded anew it is another file:\n%s\n%s", once, twice)
		}
	})
}
