package responses_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

func TestSuite(t *testing.T) {
	dialecttest.Suite(t, responses.New(), "testdata/suite", *update)
}
