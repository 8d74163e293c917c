package gemini_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
	"github.com/crosswalk-agents/crosswalk/dialect/gemini"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

func FuzzCodec(f *testing.F) {
	for _, folder := range []string{"request", "written", "stream"} {
		for _, a := range fixture.Archives(f, "testdata/"+folder) {
			f.Add(a.Files[0].Data)
		}
	}
	dialecttest.Fuzz(f, gemini.New())
}
