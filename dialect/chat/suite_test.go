package chat_test

import (
	"flag"
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/chat"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

var update = flag.Bool("update", false, "rewrite the expectations of transcripts")

func TestSuite(t *testing.T) {
	dialecttest.Suite(t, chat.New(), "testdata/suite", *update)
}
