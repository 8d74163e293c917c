package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/crosswalk-agents/crosswalk/conformance/rig/internal/seal"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: box SPEC.json")
		os.Exit(2)
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintf(os.Stderr, "box: %v\n", err)
		os.Exit(125)
	}
	var spec seal.Spec
	if err := json.Unmarshal(data, &spec); err != nil {
		fmt.Fprintf(os.Stderr, "box: read %q: %v\n", os.Args[1], err)
		os.Exit(125)
	}
	os.Exit(seal.Run(spec))
}
