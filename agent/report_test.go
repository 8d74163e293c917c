package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// A file may hold a type of its own in each record.
func TestUnknownTypesAreFewAndShort(t *testing.T) {
	var u agent.Unknown
	for i := range 10_000 {
		u.Add(fmt.Sprint(i, strings.Repeat("é", 1000)))
	}
	u.Add("")
	total, size := 0, 0
	for typ, n := range u {
		total, size = total+n, size+len(typ)
	}
	if len(u) > 51 || total != 10_001 || size > 51*110 {
		t.Errorf("%d types of %d bytes, %d records", len(u), size, total)
	}
}
