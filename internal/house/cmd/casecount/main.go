package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

func main() {
	opts := options{corpus: os.Getenv("CROSSWALK_CORPUS") != ""}
	flag.StringVar(&opts.cases, "cases", "internal/house/cases.txt", "file with the fewest cases of each package")
	flag.BoolVar(&opts.update, "update", false, "raise the numbers in that file to what passed")
	flag.BoolVar(&opts.partial, "partial", false, "judge only the recorded packages that ran")
	flag.Parse()
	if info, ok := debug.ReadBuildInfo(); ok {
		opts.module = info.Main.Path
	}
	ok, err := run(opts, os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "casecount:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

type options struct {
	module  string // path cut off the packages' names
	cases   string
	corpus  bool
	update  bool
	partial bool
}

// run reports whether everything passed and no package is short of cases.
func run(opts options, in io.Reader, out io.Writer) (bool, error) {
	rec, err := readRecord(opts.cases)
	if err != nil {
		return false, err
	}
	res, err := read(in, out, opts.module)
	if err != nil {
		return false, err
	}
	short := rec.check(res, opts)
	total, ran := res.summary(out, rec, opts)
	for _, s := range short {
		fmt.Fprintln(out, "too few cases:", s)
	}
	ok := total.failed == 0 && ran && len(short) == 0
	if opts.update {
		if !ok {
			fmt.Fprintf(out, "%s is left as it is: only a clean run raises it\n", opts.cases)
		} else if err := rec.raise(res, opts); err != nil {
			return false, err
		}
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", total.passed, total.failed, total.skipped)
	return ok, nil
}
