package all_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

func TestPairs(t *testing.T) { dialecttest.Pairs(t, all.Codecs()) }
