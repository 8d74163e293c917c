package responses_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/responses"
)

func FuzzCodec(f *testing.F) { dialecttest.Fuzz(f, responses.New()) }
