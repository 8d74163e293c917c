package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// The groups of commands in the help.
const (
	groupHandoff = "handoff"
	groupLook    = "look"
	groupOther   = "other"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "crosswalk",
		Short: "Continue in one coding agent what began in another",
		Long: `Crosswalk hands a coding agent's session over to another agent: the real
client resumes it, nothing is silently lost, and the original is never touched.

Without a command it shows what is here and what can be done next.

Exit codes: 0 done, 1 failed, 2 wrong command line, 3 problems found, 4 refused,
130 cancelled.`,
		Example: `  crosswalk to codex     # continue the newest session of this directory in Codex
  crosswalk pull         # bring back what was added there
  crosswalk sessions     # what there is, of every agent`,
		Version:       version(debug.ReadBuildInfo()),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,

		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return a.overview(cmd.Context()) },
	}
	cobra.EnableCommandSorting = false // the order below is that of use
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.") // Go's own words
		return usagef("%s", text)
	})
	root.SetVersionTemplate("crosswalk {{.Version}}\n")
	wrapped := fmt.Sprintf(".FlagUsagesWrapped %d |", min(max(a.width, 40), 100))
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages |", wrapped))
	root.AddGroup(&cobra.Group{ID: groupHandoff, Title: "Hand over:"}, &cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupOther, Title: "Other:"})
	root.SetHelpCommandGroupID(groupOther)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.checkAgents(cmd) }
	f := root.PersistentFlags()
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print results and errors only")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "say more about what is done")
	f.BoolVarP(&a.yes, "yes", "y", false, "answer yes to questions, but not to the one about secrets")
	f.BoolVar(&a.noInput, "no-input", false, "never ask")
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupHandoff, newTo(a), newPull(a), newConvert(a), newUndo(a))
	add(groupLook, newSessions(a), newShow(a), newCheck(a), newLineage(a))
	add(groupOther, newCompletion(a))
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Args = func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || found == root && len(rest) > 0 {
					return noCommand(root, args)
				}
				return nil
			}
		}
	}
	return root
}

// checkAgents refuses flags that name no agent.
func (a *app) checkAgents(cmd *cobra.Command) error {
	for _, name := range []string{"from", "agent"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			if _, err := a.reader(f.Value.String()); err != nil {
				return err
			}
		}
	}
	return nil
}
