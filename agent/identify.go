package agent

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/goccy/go-yaml"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

//go:embed formats.yaml
var formatsYAML []byte

// format tells whose file it is by what stands in its first records.
type format struct {
	// Name is an adapter's id, or the name of an agent without one.
	Name string `yaml:"name"`
	// Type is the value of a "type" member; empty matches any.
	Type string `yaml:"type"`
	// Has lists members that must be there; "a.b" is b inside a.
	Has []string `yaml:"has"`
}

// identifyRecords is how many records are looked at, identifyBytes how much of
// a file that is one document.
const (
	identifyRecords = 64
	identifyBytes   = 1 << 20
)

// Identify returns the id or name of the agent whose session format the
// beginning of f has, or "" if it has none that is known.
func Identify(f *jsonl.File) (string, error) {
	var formats []format
	if err := yaml.UnmarshalWithOptions(formatsYAML, &formats, yaml.Strict()); err != nil {
		return "", fmt.Errorf("read formats.yaml: %w", err)
	}
	if f.Size() == 0 {
		return "", nil
	}
	head, err := f.ReadAt(0, int(min(f.Size(), identifyBytes)))
	if err != nil {
		return "", err
	}
	head = bytes.TrimPrefix(head, []byte("\ufeff"))
	var d jsonx.Decoder
	for range identifyRecords {
		head = bytes.TrimLeft(head, " \t\r\n\x00")
		if len(head) == 0 {
			break
		}
		d.Reset(head)
		members, typ := outline(&d)
		for _, fm := range formats {
			if fm.matches(members, typ) {
				return fm.Name, nil
			}
		}
		if d.Err() == nil {
			head = head[d.Offset():]
			continue
		}
		// A line that is no JSON is passed over.
		at := bytes.IndexByte(head, '\n')
		if at < 0 {
			break
		}
		head = head[at:]
	}
	return "", nil
}

// outline returns the member names of a record, two levels deep.
func outline(d *jsonx.Decoder) (members map[string]bool, typ string) {
	members = make(map[string]bool)
	if d.Kind() != jsonx.Object {
		d.Skip()
		return members, ""
	}
	for name := range d.Members() {
		outer := string(name)
		members[outer] = true
		if outer == "type" && d.Kind() == jsonx.String {
			typ = d.Str()
		}
		if d.Kind() == jsonx.Object {
			for inner := range d.Members() {
				members[outer+"."+string(inner)] = true
			}
		}
	}
	return members, typ
}

func (fm *format) matches(members map[string]bool, typ string) bool {
	if fm.Type != "" && fm.Type != typ {
		return false
	}
	for _, name := range fm.Has {
		if !members[name] {
			return false
		}
	}
	return true
}

// IsBlank reports whether f holds nothing but white space and NUL bytes, as a
// file does that its client has only just made.
func IsBlank(f *jsonl.File) bool {
	const most = 1 << 20
	if n := f.Size(); n == 0 || n > most {
		return n == 0
	}
	b, err := f.ReadAt(0, int(f.Size()))
	return err == nil && len(bytes.Trim(b, " \t\r\n\x00\ufeff")) == 0
}
