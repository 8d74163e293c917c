package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// pathError is a fault at a place inside a turn.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return e.path + ": " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }

// at puts path in front of the place that err tells.
func at(path string, err error) error {
	var inner *pathError
	if !errors.As(err, &inner) {
		return &pathError{path, err}
	}
	if !strings.HasPrefix(inner.path, "[") {
		path += "."
	}
	return &pathError{path + inner.path, inner.err}
}

// field is a member that an object may have, and how its value is read.
// encoding/json alone would take unknown, repeated and differently cased members.
type field struct {
	name string
	read func(json.RawMessage) error
}

func readObject(raw json.RawMessage, fields []field) error {
	return eachMember(raw, func(name string, value json.RawMessage) error {
		f, err := find(fields, name)
		if err != nil {
			return err
		}
		if err := f.read(value); err != nil {
			return at(name, err)
		}
		return nil
	})
}

// eachMember calls use for the members in order and refuses a repeated name.
func eachMember(raw json.RawMessage, use func(name string, value json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return fmt.Errorf("want a JSON object, got %s", kindOf(raw))
	}
	seen := make(map[string]bool)
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name := key.(string) // a decoder inside an object gives a string here
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return at(name, err)
		}
		if seen[name] {
			return fmt.Errorf("field %q is given twice", name)
		}
		seen[name] = true
		if err := use(name, value); err != nil {
			return err
		}
	}
	return nil
}

func find(fields []field, name string) (field, error) {
	known := make([]string, 0, len(fields))
	for _, f := range fields {
		if f.name == name {
			return f, nil
		}
		known = append(known, f.name)
	}
	return field{}, fmt.Errorf("unknown field %q (known are %s)", name, strings.Join(known, ", "))
}

func text(to *string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		if raw[0] != '"' {
			return fmt.Errorf("want a string, got %s", kindOf(raw))
		}
		return json.Unmarshal(raw, to)
	}
}

func boolean(to *bool) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		if raw[0] != 't' && raw[0] != 'f' {
			return fmt.Errorf("want true or false, got %s", kindOf(raw))
		}
		return json.Unmarshal(raw, to)
	}
}

func number(to *int) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		n, err := strconv.Atoi(string(raw))
		if err != nil || n < 0 || n > maxNumber {
			return fmt.Errorf("want a whole number from 0 to %d, got %s", maxNumber, kindOf(raw))
		}
		*to = n
		return nil
	}
}

// maxNumber bounds every number of a script: as milliseconds it is eleven days, as
// bytes of a padded frame still less than a gigabyte.
const maxNumber = 999_999_999

func optional[T any](read func(*T) func(json.RawMessage) error, to **T) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		*to = new(T)
		return read(*to)(raw)
	}
}

func anyJSON(to *json.RawMessage) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		*to = raw
		return nil
	}
}

func objectJSON(to *json.RawMessage) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		if raw[0] != '{' {
			return fmt.Errorf("want a JSON object, got %s", kindOf(raw))
		}
		*to = raw
		return nil
	}
}

func list(read func(json.RawMessage) error) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		if raw[0] != '[' {
			return fmt.Errorf("want a JSON list, got %s", kindOf(raw))
		}
		var values []json.RawMessage
		if err := json.Unmarshal(raw, &values); err != nil {
			return err
		}
		for i, v := range values {
			if err := read(v); err != nil {
				return at(fmt.Sprintf("[%d]", i), err)
			}
		}
		return nil
	}
}

func textMap(to *map[string]string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		*to = make(map[string]string)
		return eachMember(raw, func(name string, value json.RawMessage) error {
			var s string
			if err := text(&s)(value); err != nil {
				return at(name, err)
			}
			(*to)[name] = s
			return nil
		})
	}
}

// kindOf names a JSON value in an error message.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	default:
		return string(raw)
	}
}
