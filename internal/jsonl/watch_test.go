package jsonl_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// changes are what another process does to a file of ten lines {"n":1}; changed
// says that the file no longer begins as it did.
func changes() map[string]struct {
	do      func(path string) error
	changed bool
} {
	add := func(text string, flag int) func(string) error {
		return func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|flag, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(text)
			return errors.Join(err, f.Close())
		}
	}
	return map[string]struct {
		do      func(path string) error
		changed bool
	}{
		"nothing":                {func(string) error { return nil }, false},
		"appends":                {add(`{"n":2}`+"\n", os.O_APPEND), false},
		"appends a part":         {add(`{"n":`, os.O_APPEND), false},
		"touches":                {func(path string) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) }, false},
		"writes the same anew":   {add(lines, os.O_TRUNC), false},
		"replaces it by another": {func(path string) error { return os.Rename(other(path), path) }, false},
		"removes it":             {os.Remove, false},
		"cuts it":                {func(path string) error { return os.Truncate(path, 12) }, true},
		"empties it":             {func(path string) error { return os.Truncate(path, 0) }, true},
		"writes it anew, longer": {add(strings.Repeat(`{"m":12}`+"\n", 20), os.O_TRUNC), true},
		"edits it in its place":  {add(`{"n":7}`, 0), true},
	}
}

var lines = strings.Repeat(`{"n":1}`+"\n", 10)

// other is a file beside path with other content.
func other(path string) string {
	name := filepath.Join(filepath.Dir(path), "other")
	if err := os.WriteFile(name, []byte(strings.Repeat("x", 500)), 0o600); err != nil {
		panic(err)
	}
	return name
}

// A file that only grows is read as it was when it was opened; every other
// change is noticed at the end, if not before.
func TestAChangeIsNoticedUnlessTheFileGrows(t *testing.T) {
	for name, c := range changes() {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a.jsonl", []byte(lines))
			f := open(t, path, jsonl.Limits{})
			if w := walk(t, f, lines); len(w.records) != 10 || len(w.damage) != 0 {
				t.Fatalf("%+v", w)
			}
			if err := f.Unchanged(); err != nil {
				t.Fatal(err)
			}
			later(t, path)
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			err := f.Unchanged()
			if errors.Is(err, jsonl.ErrChanged) != c.changed || (err != nil) != c.changed {
				t.Errorf("Unchanged: %v", err)
			}
			if c.changed && !strings.Contains(err.Error(), path) {
				t.Errorf("%v does not name the file", err)
			}
			raw := ""
			err = f.Lines(func(line []byte) error { raw += string(line); return nil })
			if (err != nil) != c.changed || err == nil && raw != lines {
				t.Errorf("Lines: %v, %q", err, raw)
			}
		})
	}
}

// later makes sure that a change now has another time than the file.
func later(t *testing.T, path string) {
	t.Helper()
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
}

func TestAFileThatIsCutIsNotReadAsAShortOne(t *testing.T) {
	for name, content := range map[string]string{"short lines": lines, "a long line": `{"n":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a.jsonl", []byte(content))
			f := open(t, path, jsonl.Limits{})
			if err := os.Truncate(path, int64(len(content)/2)); err != nil {
				t.Fatal(err)
			}
			err := f.Each(t.Context(), parse, func(jsonl.Damage) {})
			if !errors.Is(err, jsonl.ErrChanged) || !strings.Contains(err.Error(), path) {
				t.Errorf("Each: %v", err)
			}
			if b, err := f.ReadAt(int64(len(content)/2), 7); !errors.Is(err, jsonl.ErrChanged) || !strings.Contains(err.Error(), path) {
				t.Errorf("ReadAt past the end: %q, %v", b, err)
			}
		})
	}
}

func TestALimitHidesWhatFollows(t *testing.T) {
	path := write(t, "a.jsonl", []byte(lines))
	f := open(t, path, jsonl.Limits{})
	if w := walk(t, f, lines); len(w.records) != 10 {
		t.Fatalf("%+v", w)
	}
	f.Limit(16)
	later(t, path)
	if err := os.Chtimes(path, time.Time{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	raw := ""
	if err := f.Lines(func(line []byte) error { raw += string(line); return nil }); err != nil || raw != lines[:16] {
		t.Errorf("%q, %v", raw, err)
	}
}
