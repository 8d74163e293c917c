package all_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

var update = flag.Bool("update", false, "rewrite what pairs lose in docs/dialects.md")

// TestThePageOnLossesIsTrue compares the page with what the pairs lose.
func TestThePageOnLossesIsTrue(t *testing.T) {
	const path, begin, end = "../../docs/dialects.md", "<!-- begin losses -->\n", "<!-- end losses -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(page, []byte(begin))
	was, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		t.Fatalf("%s has no place for losses", path)
	}
	is := dialecttest.Losses(t, all.Codecs())
	if *update {
		if err := os.WriteFile(path, bytes.Join([][]byte{before, []byte(begin + is + end), after}, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(was), is); diff != "" {
		t.Errorf("run go test ./dialect/all -update: -page +run:\n%s", diff)
	}
}
