package scripted

import (
	"bytes"
	"encoding/json"
	"strings"
)

// workVar stands for the work directory in the strings of a script: clients such
// as Claude Code want absolute paths in tool arguments.
const workVar = "$WORK"

// inWork is the script with workVar replaced.
func (s Script) inWork(dir string) Script {
	plain := func(t string) string { return strings.ReplaceAll(t, workVar, dir) }
	quoted := encode(dir)
	quoted = quoted[1 : len(quoted)-1]
	// In a valid JSON text the variable can only stand inside a string.
	raw := func(r json.RawMessage) json.RawMessage { return bytes.ReplaceAll(r, []byte(workVar), quoted) }

	out := make(Script, 0, len(s))
	for _, t := range s {
		t.Thinking, t.Text = plain(t.Thinking), plain(t.Text)
		t.Error = raw(t.Error)
		headers := make(map[string]string, len(t.Headers))
		for name, value := range t.Headers {
			headers[name] = plain(value)
		}
		t.Headers = headers
		tools := make([]Tool, 0, len(t.Tools))
		for _, c := range t.Tools {
			c.Args, c.Item = raw(c.Args), raw(c.Item)
			if c.Input != nil {
				input := plain(*c.Input)
				c.Input = &input
			}
			tools = append(tools, c)
		}
		t.Tools = tools
		out = append(out, t)
	}
	return out
}
