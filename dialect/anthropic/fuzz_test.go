package anthropic_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/anthropic"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

func FuzzCodec(f *testing.F) { dialecttest.Fuzz(f, anthropic.New()) }
