package rig

import "testing"

func TestOSCFilterDropsWideCommandsOnly(t *testing.T) {
	const in = "a\x1b]0;✳ title\x07b\x1b]11;?\x1b\\c\x1b[31md\x1b\x1b]2;é\x1b\\e"
	const want = "ab\x1b]11;?\x1b\\c\x1b[31md\x1be"
	for chunk := 1; chunk <= len(in); chunk++ {
		var f oscFilter
		got := ""
		for i := 0; i < len(in); i += chunk {
			got += string(f.filter([]byte(in[i:min(len(in), i+chunk)])))
		}
		if got != want {
			t.Errorf("in chunks of %d: got %q, want %q", chunk, got, want)
		}
	}
}
