package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/house"
)

// The rules stand between these two lines.
const (
	begin = "        # rules written by make regen from internal/house/layers.go\n"
	end   = "        # end of rules\n"
)

func main() {
	root := "."
	if len(os.Args) == 2 {
		root = os.Args[1]
	}
	if err := run(root); err != nil {
		fmt.Fprintln(os.Stderr, "depguard:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	tree, err := house.Read(root)
	if err != nil {
		return err
	}
	name := filepath.Join(root, ".golangci.yml")
	old, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read lint settings: %w", err)
	}
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("update %q: no lines %q and %q: restore them where the rules belong", name, begin, end)
	}
	text := head + begin + house.Depguard(tree, house.House) + end + tail
	if text == string(old) {
		return nil
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
