package dialecttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// Requests decodes the request of each transcript in folder and compares it, in
// the form of [Format], with what the transcript expects; or the error, if it
// expects one. With update it rewrites what the transcripts expect instead.
func Requests(t *testing.T, folder string, update bool, decode func(body []byte) (*canon.Request, error)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts in %q, %v", len(files), folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := txtar.File{Name: "request"}
			if r, err := decode(a.Files[0].Data); err != nil {
				got = txtar.File{Name: "error", Data: []byte(err.Error() + "\n")}
			} else {
				got.Data = []byte(Format(r))
			}
			want := string(txtar.Format(a))
			a.Files = []txtar.File{a.Files[0], got}
			if update {
				if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, string(txtar.Format(a))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Diff compares blocks by what they say, ids of items and how they were written
// aside. It is empty if they are equal.
func Diff(want, got []canon.Block) string {
	list := func(blocks []canon.Block) (out []string) {
		for _, b := range blocks {
			out = append(out, FormatBlock(b))
		}
		return out
	}
	return cmp.Diff(list(want), list(got))
}
