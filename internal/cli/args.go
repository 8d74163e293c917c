package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// arguments checks the number of a command's arguments: at least least of the
// names, which say what they are, and at most all of them.
func arguments(least int, names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("%s is missing", names[len(args)])
		case len(args) > len(names):
			return usagef("unexpected argument %q", args[len(names)])
		}
		// An empty word is a variable that was not set, and does not stand for what
		// is taken when there is no word.
		if i := slices.Index(args, ""); i >= 0 {
			return usagef("%s is empty", names[i])
		}
		return nil
	}
}

// noCommand refuses arguments of the bare program, which can only be commands
// that do not exist.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := usagef("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return hinted{err, `did you mean "` + strings.Join(near, `" or "`) + `"?`}
	}
	return err
}
