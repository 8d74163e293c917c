package main

import (
	"os"

	"github.com/crosswalk-agents/crosswalk/internal/cli"
	"github.com/crosswalk-agents/crosswalk/internal/heap"
)

// Bounds of the heap, in bytes: those of docs/benchmarks.md with some room.
const (
	heapSize    = 40 << 20
	heapGarbage = 8 << 20
)

func main() {
	heap.Bound(heapSize, heapGarbage)
	os.Exit(cli.Main())
}
