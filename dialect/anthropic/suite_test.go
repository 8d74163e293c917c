package anthropic_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

func TestSuite(t *testing.T) {
	dialecttest.Suite(t, anthropic.New(), "testdata/suite", *update)
}
