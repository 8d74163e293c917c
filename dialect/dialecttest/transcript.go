package dialecttest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// Requests decodes the request of each transcript in folder and compares it, in
// the form of [Format], with what the transcript expects; or the error, if it
// expects one. With update it rewrites what the transcripts expect instead.
func Requests(t *testing.T, folder string, update bool, decode func(body []byte) (*canon.Request, error)) {
	t.Helper()
	fixture.Transcripts(t, folder, update, func(_ *testing.T, a *txtar.Archive) []txtar.File {
		got := txtar.File{Name: "request"}
		if r, err := decode(a.Files[0].Data); err != nil {
			got = txtar.File{Name: "error", Data: []byte(err.Error() + "\n")}
		} else {
			got.Data = []byte(Format(r))
		}
		return []txtar.File{a.Files[0], got}
	})
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
