package canonical

import (
	"bytes"
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// encode writes a session.
func encode(t rapid.TB, th canon.Thread, msgs ...*canon.Message) []byte {
	t.Helper()
	var b bytes.Buffer
	e := NewEncoder(&b, th)
	for _, m := range msgs {
		if err := e.Message(m); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// decode reads a session.
func decode(t rapid.TB, file []byte, o agent.OpenOptions) (canon.Thread, []*canon.Message) {
	t.Helper()
	s, err := open(context.Background(), jsonl.FromBytes("session.jsonl", file), "session.jsonl", o)
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	return s.Thread(), messages(t, s)
}

func messages(t rapid.TB, s agent.Session) []*canon.Message {
	t.Helper()
	var msgs []*canon.Message
	for m, err := range s.Messages(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m)
	}
	return msgs
}

func TestEveryMessageSurvives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		th := threadGen().Draw(rt, "thread")
		msgs := rapid.SliceOfN(messageGen(), 1, 4).Draw(rt, "messages")
		file := encode(rt, th, msgs...)
		if n := bytes.Count(file, []byte("\n")); n != len(msgs)+1 {
			rt.Fatalf("%d lines for a header and %d messages:\n%s", n, len(msgs), file)
		}
		r := new(canon.Report)
		gotThread, got := decode(rt, file, agent.OpenOptions{Report: r})
		if d := cmp.Diff(th, gotThread, equal()); d != "" {
			rt.Errorf("thread (-want +got):\n%s", d)
		}
		if d := cmp.Diff(msgs, got, equal()); d != "" {
			rt.Errorf("messages (-want +got):\n%s\n%s", d, file)
		}
		if again := encode(rt, gotThread, got...); !bytes.Equal(again, file) {
			rt.Errorf("encoded anew it is another file:\n%s\n%s", file, again)
		}
		if len(r.Losses) > 0 || len(r.Notes) > 0 {
			rt.Errorf("the reader met something: %v %v", r.Losses, r.Notes)
		}
	})
}

// A field that canon gets one day has to be added here: every field of every
// type is set to something, and has to come back.
func TestEveryFieldSurvives(t *testing.T) {
	var th canon.Thread
	fill(t, reflect.ValueOf(&th).Elem())
	inner := []canon.Block{
		&canon.TextBlock{}, &canon.ImageBlock{}, &canon.DocumentBlock{}, &canon.ReasoningBlock{}, &canon.ToolCallBlock{},
		&canon.CompactionBlock{}, &canon.OpaqueBlock{}, &canon.ToolResultBlock{},
	}
	for _, b := range inner {
		fill(t, reflect.ValueOf(b).Elem())
	}
	outer := &canon.ToolResultBlock{CallID: "outer", Content: inner}
	for _, b := range append(inner, outer) {
		t.Run(string(b.Kind()), func(t *testing.T) {
			m := new(canon.Message)
			fill(t, reflect.ValueOf(m).Elem())
			m.Blocks = []canon.Block{b}
			gotThread, got := decode(t, encode(t, th, m), agent.OpenOptions{})
			if d := cmp.Diff(th, gotThread, equal()); d != "" {
				t.Errorf("thread (-want +got):\n%s", d)
			}
			if d := cmp.Diff([]*canon.Message{m}, got, equal()); d != "" {
				t.Errorf("message (-want +got):\n%s", d)
			}
		})
	}
}

// fill sets everything in v but blocks.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	set := func(x any) { v.Set(reflect.ValueOf(x)) }
	switch v.Interface().(type) {
	case canon.Text:
		set(canon.NewText("text \"quoted\"\n"))
		return
	case canon.Raw:
		set(canon.Raw("{\n  \"a\": 1.50\n}"))
		return
	case time.Time:
		set(time.Date(2026, 2, 3, 4, 5, 6, 789, time.FixedZone("", 3600)))
		return
	case canon.Role:
		set(canon.System)
		return
	case canon.Authority:
		set(canon.AuthorityDeveloper)
		return
	case canon.MessageKind:
		set(canon.HookOutput)
		return
	case canon.CallKind:
		set(canon.CallShell)
		return
	case []canon.Block:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("value of " + v.Type().Name())
	case reflect.Int, reflect.Int64:
		v.SetInt(42)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0))
		fill(t, v.Index(1))
	default:
		t.Fatalf("a field of type %v: say how to fill it", v.Type())
	}
}

func TestTextStaysTheLiteralItWas(t *testing.T) {
	for _, lit := range []string{
		`"plain"`, `"\u0041\/\u00e9"`, `"é\ud83d\ude42\n\t\b\f\r\"\\"`, "\"\u2028\u007f\"", `"<script>&amp;\u003c"`, `""`,
	} {
		t.Run(lit, func(t *testing.T) {
			text, _ := canon.LiteralText([]byte(lit))
			file := encode(t, canon.Thread{}, &canon.Message{Role: canon.User, Blocks: []canon.Block{
				&canon.ToolResultBlock{CallID: "c", Content: []canon.Block{&canon.TextBlock{Text: text}}},
			}})
			if want := `"text":` + lit; lit != `""` && !bytes.Contains(file, []byte(want)) {
				t.Errorf("no %s in\n%s", want, file)
			}
			_, msgs := decode(t, file, agent.OpenOptions{})
			got := msgs[0].Blocks[0].(*canon.ToolResultBlock).Content[0].(*canon.TextBlock).Text
			if again := string(got.AppendQuoted(nil)); again != lit {
				t.Errorf("read back as %s", again)
			}
		})
	}
}

func TestRawJSONStaysToTheByte(t *testing.T) {
	for _, raw := range []string{
		`{"a":1,"a":2}`, `{"z":1.0e+0,"a":[ 1 , 2 ]}`, "{\n\t\"command\": \"ls\"\n}", "{\"a\":\r\n1}", " {}", "null ", `"\u00e9"`, `-0.0`, `[]`,
	} {
		t.Run(raw, func(t *testing.T) {
			m := &canon.Message{Role: canon.Assistant, Blocks: []canon.Block{
				&canon.ToolCallBlock{CallID: "c", Name: "Bash", Call: canon.CallFunction, Input: canon.Input{JSON: canon.Raw(raw)}},
			}}
			_, msgs := decode(t, encode(t, canon.Thread{}, m), agent.OpenOptions{})
			if got := string(msgs[0].Blocks[0].(*canon.ToolCallBlock).Input.JSON); got != raw {
				t.Errorf("read back as %q", got)
			}
		})
	}
}

func TestEncoderRefusesWhatIsNoJSON(t *testing.T) {
	for _, raw := range []string{`{`, `{} {}`, `{},"role":"system"`, "\x00", `"`} {
		t.Run(raw, func(t *testing.T) {
			e := NewEncoder(new(bytes.Buffer), canon.Thread{})
			m := &canon.Message{Role: canon.Assistant, Line: 7, Blocks: []canon.Block{&canon.OpaqueBlock{Raw: canon.Raw(raw)}}}
			if err := e.Message(m); err == nil {
				t.Fatal("no error")
			}
			if err := e.Message(&canon.Message{Role: canon.User}); err == nil {
				t.Error("no error for the message after")
			}
		})
	}
}
