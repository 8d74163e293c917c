package transcript

import (
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/codemode"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// essential lists the members of tool inputs that tell most about a call, best
// first (the tools of Claude Code 2.1.332 and Codex 0.171.0).
var essential = [...]string{
	"command", "cmd", "file_path", "notebook_path", "pattern", "query", "url", "path", "paths",
	"description", "prompt", "explanation", "skill", "name", "script", "code", "input", "chars",
}

// maxArgument is how many bytes of an argument are kept; no line is longer.
const maxArgument = 500

// argument returns the one argument of a call that tells most, in one line.
func argument(in *canon.Input) shown {
	if len(in.JSON) == 0 {
		text := in.Text.String()
		if commands := codemode.Commands(text); len(commands) > 0 {
			text = strings.Join(commands, " ; ")
		}
		return firstLine(patchFiles(text))
	}
	d := jsonx.NewDecoder(in.JSON)
	if d.Kind() != jsonx.Object {
		return firstLine(string(in.JSON))
	}
	best, first := len(essential), ""
	for name := range d.Members() {
		rank := rankOf(string(name))
		if rank >= best && first != "" {
			continue
		}
		value := jsonText(d.Raw())
		if rank < best {
			best, first = rank, value
		} else if first == "" && value != "" {
			first = string(name) + ": " + value
		}
	}
	return firstLine(patchFiles(first))
}

func rankOf(name string) int {
	for i, e := range essential {
		if name == e {
			return i
		}
	}
	return len(essential)
}

// firstLine returns the first line of s that is not blank, and marks that there
// is more.
func firstLine(s string) shown {
	s = strings.TrimSpace(s)
	line, more, _ := strings.Cut(s, "\n")
	if len(line) > maxArgument {
		line, more = strings.ToValidUTF8(line[:maxArgument], ""), "…"
	}
	out := showLine(line)
	if more != "" {
		out += " …"
	}
	return out
}

// patchFiles replaces a patch in the form of Codex's apply_patch by the files
// that it changes.
func patchFiles(s string) string {
	if !strings.HasPrefix(strings.TrimSpace(s), "*** Begin Patch") {
		return s
	}
	var files []string
	for l := range strings.Lines(s) {
		for _, mark := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if f, ok := strings.CutPrefix(l, mark); ok {
				files = append(files, strings.TrimSpace(f))
			}
		}
	}
	if len(files) == 0 {
		return s
	}
	return strings.Join(files, ", ")
}

// jsonText returns a value as people read it: a string decoded, a command line
// joined, anything else as it is written.
func jsonText(v canon.Raw) string {
	switch v.Kind() {
	case jsonx.String:
		return jsonx.Unquote(v)
	case jsonx.Array:
		if argv := stringList(v); argv != nil {
			return commandLine(argv)
		}
	case jsonx.Null, jsonx.False, jsonx.True, jsonx.Number, jsonx.Object, jsonx.End:
	}
	return string(v)
}

// stringList returns the elements of an array of strings, or nil.
func stringList(v canon.Raw) []string {
	list := []string{}
	d := jsonx.NewDecoder(v)
	for range d.Elements() {
		if d.Kind() != jsonx.String {
			return nil
		}
		list = append(list, d.Str())
	}
	return list
}

// commandLine joins arguments; of a shell that runs one string it is that
// string.
func commandLine(argv []string) string {
	if len(argv) == 3 && strings.HasSuffix(argv[0], "sh") && strings.HasPrefix(argv[1], "-") && strings.HasSuffix(argv[1], "c") {
		return argv[2]
	}
	return strings.Join(argv, " ")
}

// inputFields returns the whole input, member by member.
func inputFields(in *canon.Input) []field {
	if len(in.JSON) == 0 {
		if in.Text.IsEmpty() {
			return nil
		}
		return []field{{Value: showText(in.Text)}}
	}
	d := jsonx.NewDecoder(in.JSON)
	if d.Kind() != jsonx.Object {
		return []field{{Value: show(string(in.JSON))}}
	}
	var out []field
	for name := range d.Members() {
		label := showLine(string(name))
		out = append(out, field{label, show(jsonText(d.Raw()))})
	}
	return out
}
