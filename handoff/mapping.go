package handoff

import (
	"fmt"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// ParseMapping reads OLD=NEW. Both are absolute directories, of any system.
func ParseMapping(s string) (Mapping, error) {
	old, now, ok := strings.Cut(s, "=")
	m := Mapping{Old: trimDir(old), New: trimDir(now)}
	if !ok || m.Old == "" || m.New == "" {
		return m, fmt.Errorf("read mapping %q: want OLD=NEW, two directories", s)
	}
	return m, nil
}

func trimDir(s string) string {
	if t := strings.TrimRight(s, `/\`); t != "" {
		return t
	}
	return s
}

// mapPath returns path with a mapped directory replaced.
func mapPath(path string, maps []Mapping) (string, bool) {
	for _, m := range maps {
		rest, ok := strings.CutPrefix(path, m.Old)
		if !ok || rest != "" && rest[0] != '/' && rest[0] != '\\' {
			continue
		}
		if strings.Contains(m.Old, `\`) && !strings.Contains(m.New, `\`) {
			rest = strings.ReplaceAll(rest, `\`, "/")
		}
		return m.New + rest, true
	}
	return path, false
}

// mapped replaces directories in the inputs of tool calls: where a whole string
// is a path, and in free text wherever one begins.
func mapped(msgs canon.Messages, maps []Mapping, r *canon.Report) canon.Messages {
	if len(maps) == 0 {
		return msgs
	}
	return each(msgs, func(m *canon.Message) *canon.Message {
		for _, b := range m.Blocks {
			c, ok := b.(*canon.ToolCallBlock)
			if !ok {
				continue
			}
			n := 0
			if c.Input.JSON != nil {
				c.Input.JSON = jsonx.MapStrings(c.Input.JSON, func(s string) (string, bool) {
					s, changed := mapPath(s, maps)
					if !changed {
						s, changed = mapText(s, maps)
					}
					if changed {
						n++
					}
					return s, changed
				})
			} else if s, changed := mapText(c.Input.Text.String(), maps); changed {
				c.Input.Text = canon.NewText(s)
				n++
			}
			r.Note("mapped-paths", n)
		}
		return m
	})
}

// mapText replaces mapped directories that stand in text as whole path
// elements.
func mapText(s string, maps []Mapping) (string, bool) {
	changed := false
	for _, m := range maps {
		var out strings.Builder
		rest := s
		for {
			i := strings.Index(rest, m.Old)
			if i < 0 {
				break
			}
			end := i + len(m.Old)
			before := i == 0 || !pathByte(rest[i-1])
			after := end == len(rest) || rest[end] == '/' || rest[end] == '\\' || !pathByte(rest[end])
			out.WriteString(rest[:i])
			if before && after {
				out.WriteString(m.New)
				changed = true
			} else {
				out.WriteString(m.Old)
			}
			rest = rest[end:]
		}
		out.WriteString(rest)
		s = out.String()
	}
	return s, changed
}

// pathByte reports whether c goes on the path element that it stands beside.
func pathByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/' || c == '\\' || c >= 0x80
}
