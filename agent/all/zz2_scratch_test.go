package all_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
)

func TestScratch2(t *testing.T) {
	f, _ := filepath.Glob("/work/shared/corpus/codex/" + os.Getenv("F") + "*.gz")
	g, _ := os.Open(f[0])
	z, _ := gzip.NewReader(g)
	p := filepath.Join(t.TempDir(), "rollout-x.jsonl")
	o, _ := os.Create(p)
	io.Copy(o, z)
	o.Close()
	s, err := codex.New().Open(context.Background(), p, agent.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range s.Messages(context.Background()) {
		fmt.Println(err, m.Role, m.Kind, m.Line)
		for _, b := range m.Blocks {
			fmt.Printf("   %T %+v\n", b, b)
		}
	}
}
