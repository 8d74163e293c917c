package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
)

// completeAgents completes the named flags with agent ids.
func (a *app) completeAgents(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		// The error says that the flag is missing, which the tests would find.
		_ = cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.agentWords(false), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// completeWords completes a flag with fixed words.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// agentWords lists the agents with their names.
func (a *app) agentWords(writers bool) []string {
	var words []string
	for _, ag := range a.agents {
		m, err := ag.Manifest()
		if err != nil {
			continue
		}
		if _, ok := ag.(agent.Writer); ok || !writers {
			words = append(words, m.ID+"\t"+m.Name)
		}
	}
	return words
}

// sessionWords lists the sessions of this directory, or all of them if word is
// the beginning of none of those, with their titles. Those of the agent not are
// left out.
func (a *app) sessionWords(cmd *cobra.Command, word, not string) []string {
	d, err := a.desk()
	if err != nil {
		return nil
	}
	dir, err := a.workDir()
	if err != nil {
		return nil
	}
	entries, _ := d.List(cmd.Context(), agent.Query{}, "")
	for _, here := range []bool{true, false} {
		var words []string
		for i := range entries {
			e := &entries[i]
			if e.ID != "" && strings.HasPrefix(e.ID, word) && (!here || e.Dir == dir) && e.Agent != not {
				words = append(words, e.ID+"\t"+e.Agent+": "+cut(titleOf(e), 60))
			}
		}
		if len(words) > 0 {
			return words
		}
	}
	return nil
}

// newestFirst keeps the order of a list of sessions.
const newestFirst = cobra.ShellCompDirectiveKeepOrder

// completeSession completes the first argument with session ids.
func (a *app) completeSession(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.sessionWords(cmd, word, ""), newestFirst
}
