package rig

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSnapshotNamesEveryChange(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("kept", "same")
	write("gone", "x")
	write("d/grown", "one")
	before, err := TakeSnapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	if changes := before.Changes(before); changes != nil {
		t.Errorf("an untouched folder changed: %q", changes)
	}
	write("kept", "same")
	write("d/grown", "one and two")
	write("new", "y")
	if err := os.Remove(filepath.Join(dir, "gone")); err != nil {
		t.Fatal(err)
	}
	after, err := TakeSnapshot(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"~" + filepath.Join("d", "grown"), "-gone", "+new"}
	if diff := cmp.Diff(want, before.Changes(after)); diff != "" {
		t.Error(diff)
	}
}
