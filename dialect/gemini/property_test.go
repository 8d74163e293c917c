package gemini_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
)

// drawnPart draws a part as an upstream may write it.
func drawnPart() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		`{"text":"a"}`, `{"text":"b\u00e9"}`, `{"text":""}`, `{"text":"c","thoughtSignature":"AA=="}`, `{"text":"","thoughtSignature":"BB=="}`, `{"thoughtSignature":"CC=="}`,
		`{"text":"d","thought":true}`, `{"text":"e","thought":true,"thoughtSignature":"DD=="}`, `{"text":"","thought":true}`, `{"text":"f","note":1}`, `{"text":"g","thought":true,"note":2}`,
		`{"functionCall":{"name":"f","args":{"x":1}}}`, `{"functionCall":{"name":"f","args":{"x":1}},"thoughtSignature":"EE=="}`, `{"functionCall":{"id":"i","name":"f","args":"{\"x"}}`,
		`{"functionCall":{"name":"f","args":[]},"note":3,"thoughtSignature":"skip_thought_signature_validator"}`,
		`{"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"FF=="}`, `{"fileData":{"fileUri":"https://example.org/a.pdf"}}`, `{"executableCode":{}}`, `{}`, `null`,
	})
}

// What the frames of a stream say together is what they say as one answer.
func TestAStreamSaysWhatTheWholeAnswerSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(drawnPart(), 0, 8).Draw(t, "parts")
		var frames strings.Builder
		for from := 0; from < len(parts); {
			to := rapid.IntRange(from, min(from+3, len(parts))).Draw(t, "to")
			frames.WriteString(`data: {"candidates":[{"content":{"parts":[` + strings.Join(parts[from:to], ",") + `]}}],"responseId":"r"}` + "\n\n")
			from = to
		}
		frames.WriteString(`data: {"candidates":[{"finishReason":"STOP"}],"responseId":"r"}` + "\n\n")
		streamed, err := dialecttest.Read(gemini.New(), strings.NewReader(frames.String()))
		if err != nil {
			t.Fatal(err)
		}
		body := `{"candidates":[{"content":{"parts":[` + strings.Join(parts, ",") + `]},"finishReason":"STOP"}],"responseId":"r"}`
		whole, err := gemini.New().DecodeResponse([]byte(body), new(canon.Report))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(dialecttest.FormatResponse(whole), dialecttest.FormatResponse(streamed)); diff != "" {
			t.Fatalf("-whole +streamed:\n%s", diff)
		}
		writtenAnswer(t, whole)
	})
}

// drawnBlock draws a block of an answer of any dialect.
func drawnBlock() *rapid.Generator[canon.Block] {
	foreign := canon.BlockMeta{Ext: canon.Ext{Dialect: "elsewhere", Members: []canon.Member{{Name: "x", Value: canon.Raw("1")}}}}
	text := rapid.SampledFrom([]string{"", "a", "b\n"})
	return rapid.Custom(func(t *rapid.T) canon.Block {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1:
			return &canon.TextBlock{Text: canon.NewText(text.Draw(t, "text"))}
		case 2:
			return &canon.TextBlock{BlockMeta: foreign, Text: canon.NewText(text.Draw(t, "text"))}
		case 3, 4:
			b := &canon.ReasoningBlock{Text: canon.NewText(text.Draw(t, "text")), Capsule: canon.Capsule{Issuer: "x", Sealed: canon.NewText(text.Draw(t, "sealed"))}}
			for _, s := range rapid.SliceOfN(text, 0, 2).Draw(t, "summary") {
				b.Summary = append(b.Summary, canon.NewText(s))
			}
			return b
		case 5, 6:
			b := &canon.ToolCallBlock{CallID: "i", Name: "f", Call: rapid.SampledFrom([]canon.CallKind{canon.CallFunction, canon.CallCustom, canon.CallProvider}).Draw(t, "call")}
			b.Input = canon.InputOf(b.Call, []byte(rapid.SampledFrom([]string{"", "{}", `{"a":1}`, "[1]", `{"a`}).Draw(t, "input")))
			return b
		case 7:
			return &canon.OpaqueBlock{Dialect: rapid.SampledFrom([]string{gemini.Name, "elsewhere"}).Draw(t, "dialect"), Type: "x", Raw: canon.Raw(`{"x":1}`)}
		case 8:
			return &canon.DocumentBlock{Media: canon.Media{MediaType: "text/plain", Plain: canon.NewText("a")}}
		}
		return &canon.ImageBlock{Media: canon.Media{MediaType: "image/png", Data: canon.NewText("AAAA")}}
	})
}

func TestAnyAnswerIsWrittenAlikeAsAStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &canon.Response{ID: "r", Model: "m", Blocks: rapid.SliceOfN(drawnBlock(), 0, 7).Draw(t, "blocks")}
		a.Stop = canon.Stop{Reason: rapid.SampledFrom([]canon.StopReason{canon.StopEnd, canon.StopToolCall, canon.StopLimit, canon.StopContext, canon.StopRefusal, canon.StopPause, canon.StopSequence}).Draw(t, "stop")}
		a.Stop = a.Stop.Settle(canon.CallsClient(a.Blocks))
		writtenAnswer(t, a)
	})
}

// writtenAnswer holds that an answer is written alike whether it is streamed or
// not, and read as it was written.
func writtenAnswer(t *rapid.T, a *canon.Response) {
	c := gemini.New()
	var whole, streamed canon.Report
	body, err := c.EncodeResponse(nil, a, &whole)
	if err != nil {
		t.Fatal(err)
	}
	first, err := c.DecodeResponse(body, new(canon.Report))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	if again, err := c.EncodeResponse(nil, first, new(canon.Report)); err != nil || !bytes.Equal(body, again) {
		t.Fatalf("-first +second:\n%s, %v", cmp.Diff(string(body), string(again)), err)
	}
	var frames []byte
	e := c.NewEncoder(dialect.StreamOptions{}, &streamed)
	s := canon.NewSequencer(func(ev *canon.Event) (err error) {
		frames, err = e.Encode(frames, ev)
		return err
	})
	for ev := range a.Events() {
		if err := s.Next(ev); err != nil {
			t.Fatal(err)
		}
	}
	second, err := dialecttest.Read(c, bytes.NewReader(frames))
	if err != nil {
		t.Fatal(err)
	}
	second.Ext = first.Ext // not of a stream
	if diff := cmp.Diff(dialecttest.FormatResponse(first), dialecttest.FormatResponse(second)); diff != "" {
		t.Fatalf("-whole +streamed:\n%s\n%s\n%s", diff, body, frames)
	}
	if diff := cmp.Diff(dialecttest.FormatLosses(&whole), dialecttest.FormatLosses(&streamed)); diff != "" {
		t.Fatalf("losses: -whole +streamed:\n%s", diff)
	}
}

// What is written of a request's contents is read as the same.
func TestContentsAreWrittenAsTheyAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(drawnPart(), 0, 8).Draw(t, "parts")
		q := decode(t, `{"contents":[{"role":"user","parts":[{"text":"Go."}]},{"role":"model","parts":[`+strings.Join(parts, ",")+`]}]}`)
		body, err := gemini.New().EncodeRequest(nil, q, &dialect.Target{}, new(canon.Report))
		if err != nil {
			t.Fatal(err)
		}
		var r canon.Report
		again, err := gemini.New().EncodeRequest(nil, decode(t, string(body)), &dialect.Target{}, &r)
		if err != nil || !bytes.Equal(body, again) || len(r.Losses) > 0 {
			t.Fatalf("-first +second:\n%s%s, %v", cmp.Diff(string(body), string(again)), dialecttest.FormatLosses(&r), err)
		}
	})
}

// Every piece of a stream is an event with one response object.
func FuzzArrayReader(f *testing.F) {
	f.Add([]byte(`[{"a":1},{"b":"]"}]`))
	f.Add([]byte(` {"error":{}}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		r := gemini.NewArrayReader(bytes.NewReader(data), 1<<16)
		read(r)
	})
}
