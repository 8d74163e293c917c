package main

import (
	"os"

	"github.com/crosswalk-agents/crosswalk/internal/cli"
)

func main() { os.Exit(cli.Main()) }
