package gemini_test

import (
	"flag"
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
)

var update = flag.Bool("update", false, "rewrite the expectations of transcripts")

func TestSuite(t *testing.T) {
	dialecttest.Suite(t, gemini.New(), "testdata/suite", *update)
}
