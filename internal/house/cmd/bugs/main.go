package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	facts := flag.String("facts", os.Getenv("CROSSWALK_FACTS"), "folder of the acceptance lists")
	file := flag.String("file", "", "look at this list only")
	require := flag.String("require", "", "look at this list only and fail unless every row has a test")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	if *facts == "" {
		*facts = filepath.Join(root, "..", "shared", "facts")
	}
	name := *file
	if *require != "" {
		name = *require
	}
	missing, err := run(*facts, name, root, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bugs:", err)
		os.Exit(1)
	}
	if *require != "" && missing > 0 {
		os.Exit(1)
	}
}

// run prints the rows without a test and says how many there are.
func run(facts, file, root string, out io.Writer) (missing int, err error) {
	pattern := "*-bugs.md"
	if file != "" {
		pattern = filepath.Base(file)
	}
	lists, err := filepath.Glob(filepath.Join(facts, pattern))
	if err != nil {
		return 0, fmt.Errorf("find acceptance lists: %w", err)
	}
	if len(lists) == 0 {
		return 0, errors.New("find acceptance lists: no " + pattern + " in " + facts + ": name their folder with -facts or CROSSWALK_FACTS")
	}
	named, err := readTests(root)
	if err != nil {
		return 0, err
	}
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			return 0, fmt.Errorf("read acceptance list: %w", err)
		}
		rows := readRows(strings.TrimSuffix(filepath.Base(list), "-bugs.md"), string(data))
		open := 0
		for _, r := range rows {
			if !named.any(r.keys) {
				open++
				fmt.Fprintf(out, "%s:%d  %s  %s\n", filepath.Base(list), r.line, r.label, r.symptom)
			}
		}
		fmt.Fprintf(out, "%s: %d of %d rows have a test\n", filepath.Base(list), len(rows)-open, len(rows))
		missing += open
	}
	return missing, nil
}
