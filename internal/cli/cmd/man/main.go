package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/cli"
)

func main() {
	if err := writeAll(filepath.Join("docs", "man")); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// writeAll writes a page for each command, and removes those of commands that
// are no more.
func writeAll(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := cli.Command()
	root.DisableAutoGenTag = true // it holds the day
	root.InitDefaultVersionFlag()
	for _, cmd := range append(root.Commands(), root) {
		text, err := page(cmd)
		if err != nil {
			return err
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// page returns the page of one command.
func page(cmd *cobra.Command) ([]byte, error) {
	day := time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)
	header := doc.GenManHeader{Section: "1", Date: &day, Source: "Crosswalk " + handoff.Version, Manual: "Crosswalk"}
	var b bytes.Buffer
	if err := doc.GenMan(cmd, &header, &b); err != nil {
		return nil, err
	}
	text := b.Bytes()
	named := func(f *pflag.Flag) { text = nameValue(text, f) }
	cmd.NonInheritedFlags().VisitAll(named)
	cmd.InheritedFlags().VisitAll(named)
	return text, nil
}

// nameValue writes what a flag's value stands for in the place of its default,
// which is all that cobra's page tells of it.
func nameValue(text []byte, f *pflag.Flag) []byte {
	value := ""
	if name, _ := pflag.UnquoteUsage(f); name != "" {
		value = `=\fI` + name + `\fP`
	}
	if d := f.DefValue; value != "" && d != "" && d != "0" && d != "[]" {
		value += " (default " + d + ")"
	}
	flag := regexp.MustCompile(`(\\fB(?:-\w, )?--` + regexp.QuoteMeta(f.Name) + `\\fP)(?:\[=\w+\]|="[^"]*"|=\S+)`)
	return flag.ReplaceAll(text, []byte("${1}"+value))
}
