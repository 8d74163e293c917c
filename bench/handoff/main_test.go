package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crosswalk-agents/crosswalk/bench/internal/measure"
)

func TestFlags(t *testing.T) {
	o, err := parse(nil)
	if err != nil || o.quick || o.write || o.check || o.parts != "convert,sessions,memory" {
		t.Errorf("no flags: %+v, %v", o, err)
	}
	for _, args := range [][]string{{"-write", "-quick"}, {"-write", "-parts", "memory"}, {"-parts", "gateway"}, {"extra"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

func TestPageHasRoomForTheTable(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "benchmarks.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := measure.Replace(page, pageName, "table\n"); err != nil {
		t.Error(err)
	}
}
