package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// validate reports the first contradiction in a turn.
func (t *Turn) validate() error {
	for i := range t.Tools {
		if err := t.Tools[i].validate(); err != nil {
			return at(fmt.Sprintf("tools[%d]", i), err)
		}
	}
	if err := t.validateStatus(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		if err := validHeader(name, t.Headers[name]); err != nil {
			return at("headers", err)
		}
	}
	if _, known := stopReasons()[t.Stop]; t.Stop != "" && !known {
		return at("stop", fmt.Errorf("unknown stop reason %q (known are %s)", t.Stop,
			strings.Join(slices.Sorted(maps.Keys(stopReasons())), ", ")))
	}
	if u := t.usage(); u.Cached+u.Written > u.Input {
		return at("usage", fmt.Errorf("cached %d + written %d is more than input %d, which includes them", u.Cached, u.Written, u.Input))
	} else if u.Reasoning > u.Output {
		return at("usage", fmt.Errorf("reasoning %d is more than output %d, which includes it", u.Reasoning, u.Output))
	}
	return t.validateFault()
}

func (t *Turn) hasContent() bool {
	return t.Thinking != "" || t.Text != "" || len(t.Tools) > 0
}

func (t *Turn) validateStatus() error {
	switch {
	case t.Status == 0 && t.Error != nil:
		return at("error", errors.New(`an error needs "status"`))
	case t.Status == 0:
		return nil
	case t.Status < 300 || t.Status > 599:
		return at("status", fmt.Errorf("want 300 to 599, got %d", t.Status))
	case t.Status == 304:
		return at("status", errors.New("304 has no body"))
	case t.hasContent():
		return at("status", errors.New("a turn with a status has no thinking, text or tools"))
	case t.Fault != nil && t.Fault.OverloadInStream:
		return at("status", errors.New("a turn with a status has no overload_in_stream"))
	}
	return nil
}

func (t *Turn) validateFault() error {
	f := t.fault()
	switch {
	case f.OverloadAtFrame > 0 && !f.OverloadInStream:
		return at("fault.overload_at_frame", errors.New("needs overload_in_stream"))
	case f.SilentAtFrame != nil && f.SilentMS == 0:
		return at("fault.silent_at_frame", errors.New("needs silent_ms"))
	case f.SilentMS > 0 && f.SilentAtFrame == nil && t.hasContent():
		return at("fault.silent_ms", errors.New("ends in an error status: leave thinking, text and tools out, or say silent_at_frame"))
	case f.HugeLineAs != "" && f.HugeLine == 0:
		return at("fault.huge_line_as", errors.New("needs huge_line"))
	case f.HugeLineAs != "" && f.HugeLineAs != asField && f.HugeLineAs != asComment:
		return at("fault.huge_line_as", fmt.Errorf("want %q or %q, got %q", asField, asComment, f.HugeLineAs))
	}
	return nil
}

func (c *Tool) validate() error {
	if c.Item != nil {
		if c.Name != "" || c.ID != "" || c.Namespace != "" || c.Args != nil || c.Input != nil {
			return errors.New(`"item" is the whole output item: no other field goes with it`)
		}
		var item struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(c.Item, &item); err != nil || item.Type == "" {
			return at("item", errors.New(`needs "type", a string`))
		}
		return nil
	}
	if c.Name == "" {
		return errors.New(`needs "name" or "item"`)
	}
	if c.Args != nil && c.Input != nil {
		return errors.New(`"args" and "input" exclude each other`)
	}
	return nil
}

// validHeader keeps a script from writing an answer that net/http would refuse or
// frame in two ways.
func validHeader(name, value string) error {
	token := func(r rune) bool {
		return r > ' ' && r < 0x7f && !strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
	}
	switch {
	case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !token(r) }):
		return fmt.Errorf("%q is no header name", name)
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		return fmt.Errorf("%q: the value has a control character", name)
	}
	switch http.CanonicalHeaderKey(name) {
	case "Content-Length", "Transfer-Encoding", "Connection":
		return fmt.Errorf("%q is set by the server", name)
	}
	return nil
}
