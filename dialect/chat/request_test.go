package chat_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/chat"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

func TestDecodeRequestTranscripts(t *testing.T) {
	dialecttest.Requests(t, "testdata/request", *update, chat.DecodeRequest)
}

// members are those of a request, each with a sample value.
var members = []string{
	`"model":"m"`, `"messages":[{"role":"system","content":"c"},{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"}]}]`,
	`"tools":[{"type":"function","function":{"name":"e","parameters":{"type":"object"}}}]`, `"tool_choice":{"type":"function","function":{"name":"e"}}`,
	`"max_tokens":5`, `"max_completion_tokens":6`, `"stream":true`, `"user":"u"`, `"safety_identifier":"s"`, `"reasoning_effort":"low"`,
}

func TestTheOrderOfMembersDoesNotMatter(t *testing.T) {
	dialecttest.AnyOrder(t, members, chat.DecodeRequest)
}

func TestABodyThatBreaksOffIsAnError(t *testing.T) {
	dialecttest.Whole(t, members, chat.DecodeRequest)
}
