package chat_test

import (
	"testing"

	"github.com/crosswalk-agents/crosswalk/dialect/chat"
	"github.com/crosswalk-agents/crosswalk/dialect/dialecttest"
)

func FuzzCodec(f *testing.F) { dialecttest.Fuzz(f, chat.New()) }
