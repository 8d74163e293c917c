package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"unicode/utf8"
)

// ScriptError says what is wrong with a script, and where.
type ScriptError struct {
	File  string // as given to Parse; may be empty
	Line  int    // from 1: of the fault in the JSON text, else of the turn's start; 0 if unknown
	Turn  int    // index of the turn from 0; -1 if the fault is outside the turns
	Field string // path inside the turn, such as tools[0].args; may be empty
	Err   error
}

func (e *ScriptError) Error() string {
	var b bytes.Buffer
	b.WriteString("read script")
	if e.File != "" {
		fmt.Fprintf(&b, " %q", e.File)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	if e.Turn >= 0 {
		fmt.Fprintf(&b, ", turn %d", e.Turn)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, ", %s", e.Field)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

func (e *ScriptError) Unwrap() error { return e.Err }

// Load reads a script file. A fault in its text is a [*ScriptError].
func Load(path string) (Script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a script strictly: a field that is unknown, repeated, of the wrong
// type or in contradiction to another is a [*ScriptError]. File is for messages.
func Parse(file string, data []byte) (Script, error) {
	fail := func(offset, turn int, err error) error {
		e := &ScriptError{File: file, Turn: turn, Err: err}
		if offset >= 0 {
			e.Line = 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
		}
		var at *pathError
		if errors.As(err, &at) {
			e.Field, e.Err = at.path, at.err
		}
		return e
	}
	if !utf8.Valid(data) {
		return nil, fail(-1, -1, errors.New("not UTF-8"))
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fail(int(syntax.Offset), -1, err)
		}
		return nil, fail(-1, -1, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, fail(-1, -1, fmt.Errorf("want a JSON list of turns, got %s", kindOf(whole)))
	}
	script := Script{}
	for i := 0; dec.More(); i++ {
		start := int(dec.InputOffset())
		start += len(data[start:]) - len(bytes.TrimLeft(data[start:], ", \t\r\n"))
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fail(start, i, err)
		}
		turn, err := parseTurn(raw)
		if err != nil {
			return nil, fail(start, i, err)
		}
		script = append(script, turn)
	}
	return script, nil
}

func parseTurn(raw json.RawMessage) (Turn, error) {
	var t Turn
	if err := readObject(raw, turnFields(&t)); err != nil {
		return t, err
	}
	return t, t.validate()
}

func turnFields(t *Turn) []field {
	return []field{
		{"thinking", text(&t.Thinking)},
		{"text", text(&t.Text)},
		{"tools", list(func(raw json.RawMessage) error {
			var c Tool
			err := readObject(raw, toolFields(&c))
			t.Tools = append(t.Tools, c)
			return err
		})},
		{"status", number(&t.Status)},
		{"error", anyJSON(&t.Error)},
		{"headers", textMap(&t.Headers)},
		{"delay_ms", number(&t.DelayMS)},
		{"frame_delay_ms", number(&t.FrameDelayMS)},
		{"chunks", number(&t.Chunks)},
		{"usage", func(raw json.RawMessage) error {
			u := defaultUsage()
			t.Usage = &u
			return readObject(raw, usageFields(&u))
		}},
		{"stop", text(&t.Stop)},
		{"fault", func(raw json.RawMessage) error {
			t.Fault = &Fault{}
			return readObject(raw, faultFields(t.Fault))
		}},
	}
}

func toolFields(c *Tool) []field {
	return []field{
		{"name", text(&c.Name)},
		{"id", text(&c.ID)},
		{"namespace", text(&c.Namespace)},
		{"args", objectJSON(&c.Args)},
		{"input", optional(text, &c.Input)},
		{"item", objectJSON(&c.Item)},
	}
}

func usageFields(u *Usage) []field {
	return []field{
		{"input", number(&u.Input)},
		{"cached", number(&u.Cached)},
		{"written", number(&u.Written)},
		{"output", number(&u.Output)},
		{"reasoning", number(&u.Reasoning)},
	}
}

func faultFields(f *Fault) []field {
	return []field{
		{"cut_after_frames", optional(number, &f.CutAfterFrames)},
		{"overload_in_stream", boolean(&f.OverloadInStream)},
		{"overload_at_frame", number(&f.OverloadAtFrame)},
		{"garbage_frame_at", optional(number, &f.GarbageFrameAt)},
		{"crlf", boolean(&f.CRLF)},
		{"no_done", boolean(&f.NoDone)},
		{"args_only_in_done", boolean(&f.ArgsOnlyInDone)},
		{"repeat_ids", boolean(&f.RepeatIDs)},
		{"empty_deltas", boolean(&f.EmptyDeltas)},
		{"silent_ms", number(&f.SilentMS)},
		{"silent_at_frame", optional(number, &f.SilentAtFrame)},
		{"huge_line", number(&f.HugeLine)},
		{"huge_line_as", text(&f.HugeLineAs)},
		{"drip", boolean(&f.Drip)},
	}
}
