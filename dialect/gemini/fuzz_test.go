package gemini_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
)

func FuzzCodec(f *testing.F) { dialecttest.Fuzz(f, gemini.New()) }
