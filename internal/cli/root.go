package cli

import (
	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "crosswalk",
		Short: "Continue in one coding agent what began in another",
		Long: `Crosswalk hands a coding agent's session over to another agent: the real
client resumes it, nothing is silently lost, and the original is never touched.`,
		Version:       handoff.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return a.overview(cmd.Context()) },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	f := root.PersistentFlags()
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print results and errors only")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "say more about what is done")
	f.BoolVarP(&a.yes, "yes", "y", false, "answer yes to questions")
	f.BoolVar(&a.noInput, "no-input", false, "never ask")
	root.AddCommand(newTo(a), newPull(a), newSessions(a), newShow(a), newConvert(a), newLineage(a), newUndo(a))
	return root
}
