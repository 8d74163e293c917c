package all_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/agent/claude"
	"github.com/crosswalk-agents/crosswalk/agent/codex"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

func TestScratch(t *testing.T) {
	root := os.Getenv("CROSSWALK_CORPUS")
	home := agent.Home{Dir: t.TempDir(), Getenv: func(string) string { return "" }}
	for _, pair := range []struct{ src, dst agent.Writer; dir string }{{claude.New(), codex.New(), "claude"}, {codex.New(), claude.New(), "codex"}} {
		files, _ := filepath.Glob(filepath.Join(root, pair.dir, "*.gz"))
		bad := 0
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".gz")
			_, native, _ := strings.Cut(name, "__")
			dir := filepath.Join(t.TempDir(), name[:4])
			os.MkdirAll(dir, 0o755)
			p := filepath.Join(dir, native)
			g, _ := os.Open(f)
			z, _ := gzip.NewReader(g)
			o, _ := os.Create(p)
			io.Copy(o, z)
			o.Close()
			start := time.Now()
			out := filepath.Join(dir, "out.jsonl")
			res, err := handoff.Convert(context.Background(), pair.src, p, pair.dst, out, handoff.Options{Home: home, Now: time.Unix(1796000000, 0)})
			if err != nil {
				bad++
				fmt.Println(name, "ERR", err, errors.Is(err, agent.ErrNoConversation), time.Since(start))
				continue
			}
			back := filepath.Join(dir, "back.jsonl")
			res2, err := handoff.Convert(context.Background(), pair.dst, out, pair.src, back, handoff.Options{Home: home, Now: time.Unix(1796000000, 0)})
			if err != nil {
				fmt.Println(name, "BACK ERR", err)
				continue
			}
			_ = res
			_ = res2
			if len(res2.Report.Losses) > 0 && os.Getenv("LOSSES") != "" {
				m := map[string]int{}
				for _, l := range res2.Report.Losses {
					m[fmt.Sprint(l.What, "|", l.Action, "|", l.Why)]++
				}
				fmt.Println(name, "back:", m)
			}
		}
		fmt.Println(pair.dir, bad, len(files))
	}
}
