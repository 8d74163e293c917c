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
	if !ok || !isAbs(m.Old) || !isAbs(m.New) {
		return m, fmt.Errorf("read mapping %q: want OLD=NEW, two absolute directories", s)
	}
	return m, nil
}

// isAbs reports whether dir is an absolute directory, of any system.
func isAbs(dir string) bool {
	if len(dir) >= 3 && dir[1] == ':' && (dir[2] == '/' || dir[2] == '\\') {
		return dir[0] >= 'a' && dir[0] <= 'z' || dir[0] >= 'A' && dir[0] <= 'Z'
	}
	return strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, `\\`)
}

func trimDir(s string) string {
	t := strings.TrimRight(s, `/\`)
	if t == "" || strings.HasSuffix(t, ":") && len(t) == 2 {
		return s // a root
	}
	return t
}

// isRoot reports whether dir is the root of a file system.
func isRoot(dir string) bool { return strings.HasSuffix(dir, "/") || strings.HasSuffix(dir, `\`) }

// mapper replaces directories and knows which of them it met.
type mapper struct {
	maps []Mapping
	used []bool
}

func newMapper(maps []Mapping) *mapper { return &mapper{maps, make([]bool, len(maps))} }

// unused returns the mappings that replaced nothing.
func (p *mapper) unused() []Mapping {
	var out []Mapping
	for i, m := range p.maps {
		if !p.used[i] {
			out = append(out, m)
		}
	}
	return out
}

// path returns path with a mapped directory replaced.
func (p *mapper) path(path string) (string, bool) {
	for i, m := range p.maps {
		rest, ok := strings.CutPrefix(path, strings.TrimRight(m.Old, `/\`))
		if !ok || rest != "" && rest[0] != '/' && rest[0] != '\\' || rest == "" && isRoot(m.Old) {
			continue
		}
		if strings.Contains(m.Old, `\`) && !strings.Contains(m.New, `\`) {
			rest = strings.ReplaceAll(rest, `\`, "/")
		}
		p.used[i] = true
		if rest = strings.TrimRight(m.New, `/\`) + rest; rest == "" {
			rest = m.New
		}
		return rest, true
	}
	return path, false
}

// messages replaces directories in the inputs of tool calls: where a whole string
// is a path, and in free text wherever one begins.
func (p *mapper) messages(msgs canon.Messages, r *canon.Report) canon.Messages {
	if len(p.maps) == 0 {
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
					s, changed := p.path(s)
					if !changed {
						s, changed = p.text(s)
					}
					if changed {
						n++
					}
					return s, changed
				})
			} else if s, changed := p.text(c.Input.Text.String()); changed {
				c.Input.Text = canon.NewText(s)
				n++
			}
			r.Note("mapped-paths", n)
		}
		return m
	})
}

// text replaces mapped directories that stand in text as whole path
// elements.
func (p *mapper) text(s string) (string, bool) {
	changed := false
	for i, m := range p.maps {
		if isRoot(m.Old) {
			continue // every slash of a text would be one
		}
		var out strings.Builder
		rest := s
		for {
			at := strings.Index(rest, m.Old)
			if at < 0 {
				break
			}
			end := at + len(m.Old)
			before := at == 0 || !pathByte(rest[at-1])
			after := end == len(rest) || rest[end] == '/' || rest[end] == '\\' || !pathByte(rest[end])
			out.WriteString(rest[:at])
			if before && after {
				out.WriteString(m.New)
				changed, p.used[i] = true, true
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
