package main

import (
	"os"

	"github.com/crosswalk-agents/crosswalk/internal/cli"
	"github.com/crosswalk-agents/crosswalk/internal/heap"
)

// garbage is what may be unused before it is collected, in bytes.
const garbage = 8 << 20

func main() {
	heap.KeepGarbage(garbage)
	os.Exit(cli.Main())
}
