package gemini_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// gateway/D3 and gateway/E2: an edit changes what it names, in either spelling, and no other
// byte.
func TestEditsInRequests(t *testing.T) {
	for _, x := range []struct {
		name, in, want string
		edits          []canon.Edit
	}{
		{
			"a tool, wherever it is named",
			`{ "tools":[{"function_declarations":[ {"name":"f", "x":"f"},{"name":"g"}]},{"googleSearch":{"name":"f"}}],"tool_config":{"functionCallingConfig":{"allowed_function_names":["g", "f"]}},"contents":[{"parts":[{"function_call":{"name":"f","args":{"name":"f"}},"thoughtSignature":"A\/A="}]},{"parts":{"functionResponse":{"name" : "f","response":{"name":"f"}}}}]}`,
			`{ "tools":[{"function_declarations":[ {"name":"h", "x":"f"},{"name":"g"}]},{"googleSearch":{"name":"f"}}],"tool_config":{"functionCallingConfig":{"allowed_function_names":["g", "h"]}},"contents":[{"parts":[{"function_call":{"name":"h","args":{"name":"f"}},"thoughtSignature":"A\/A="}]},{"parts":{"functionResponse":{"name" : "h","response":{"name":"f"}}}}]}`,
			[]canon.Edit{{Op: canon.EditTool, From: "f", To: "h"}},
		},
		{"a model, which is in the path", `{"model":"a"}`, `{"model":"a"}`, []canon.Edit{{Op: canon.EditModel, To: "b"}}},
		{"a system text", `{"contents":[]}`, `{"contents":[],"systemInstruction":{"parts":[{"text":"a\"b"},{"text":"c"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: `a"b`}, {Op: canon.EditSystem, To: "c"}}},
		{"a system text of nothing", ` {} `, ` {"systemInstruction":{"parts":[{"text":"a"}]}} `, []canon.Edit{{Op: canon.EditSystem, To: "a"}}},
		{"a system text behind others", `{"system_instruction":{"parts":[ {"text":"a"} ],"role":"user"}}`, `{"system_instruction":{"parts":[ {"text":"a"} ,{"text":"b"}],"role":"user"}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{"a system text in an empty list", `{"systemInstruction":{"parts":[]}}`, `{"systemInstruction":{"parts":[{"text":"b"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{"a system text beside one part", `{"systemInstruction":{"parts":{"text":"a"}}}`, `{"systemInstruction":{"parts":[{"text":"a"},{"text":"b"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{"a system text for a null", `{"systemInstruction":{"parts":null}}`, `{"systemInstruction":{"parts":[{"text":"b"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{"a system text without parts", `{"systemInstruction":{"role":"user"}}`, `{"systemInstruction":{"role":"user","parts":[{"text":"b"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{"a system text in an empty object", `{"systemInstruction":{}}`, `{"systemInstruction":{"parts":[{"text":"b"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{"a system text behind a text", `{"systemInstruction":"a"}`, `{"systemInstruction":{"parts":[{"text":"a"},{"text":"b"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{"a system text for none", `{"systemInstruction":null}`, `{"systemInstruction":{"parts":[{"text":"b"}]}}`, []canon.Edit{{Op: canon.EditSystem, To: "b"}}},
		{
			"parameters, as any dialect calls them",
			`{"generation_config":{"temperature":1,"top_p":2,"topK":3,"seed":4,"maxOutputTokens":5,"thinking_config":{"thinkingBudget":6},"candidateCount":7},"seed":8,"labels":{}}`,
			`{"generation_config":{"temperature":1,"maxOutputTokens":5},"labels":{}}`,
			[]canon.Edit{{Op: canon.EditDrop, From: "topP"}, {Op: canon.EditDrop, From: "top_k"}, {Op: canon.EditDrop, From: "seed"}, {Op: canon.EditDrop, From: "reasoning_effort"}, {Op: canon.EditDrop, From: "generationConfig.candidateCount"}},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := gemini.New().SpliceRequest(nil, []byte(x.in), x.edits)
			if err != nil || string(got) != x.want {
				t.Fatalf("%s, %v\nwant %s", got, err, x.want)
			}
			want := decode(t, x.in)
			canon.ApplyRequest(want, x.edits)
			if diff := cmp.Diff(dialecttest.Format(want), dialecttest.Format(decode(t, string(got)))); diff != "" {
				t.Errorf("-applied +spliced:\n%s", diff)
			}
		})
	}
}

func TestEditsInAnswers(t *testing.T) {
	edits := []canon.Edit{{Op: canon.EditModel, To: "n"}, {Op: canon.EditTool, From: "f", To: "h"}}
	const (
		in   = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"name":"f"}}},{"text":"f"}]}}], "modelVersion":"m"}`
		want = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"h","args":{"name":"f"}}},{"text":"f"}]}}], "modelVersion":"n"}`
	)
	if got, err := gemini.New().SpliceResponse(nil, []byte("["+in+"]"), edits); err != nil || string(got) != "["+want+"]" {
		t.Errorf("%s, %v", got, err)
	}
	f := &sse.Event{Data: []byte(in), Raw: []byte("data:" + in + "\r\n\r\n")}
	if got, err := gemini.New().SpliceFrame(nil, f, edits); err != nil || string(got) != "data: "+want+"\n\n" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := gemini.New().SpliceFrame(nil, f, edits[:0]); err != nil || string(got) != string(f.Raw) {
		t.Errorf("%s, %v", got, err)
	}
}
