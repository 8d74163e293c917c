package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// bashWords stands before the script for bash, which takes this function from the
// bash-completion package. Without that it does as well.
const bashWords = `# The words of the command line, where the bash-completion package is not loaded.
if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref()
    {
        local line=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"$line"
        [[ $line == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur=${words[cword]}
        prev=${words[cword-1]}
    }
fi

`

func newCompletion(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	plain := false
	cmd := &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print what makes a shell complete commands, agents and sessions",
		Long: `Print the script that makes a shell complete commands, flags, agents, and
sessions with their titles.`,
		Example: `  source <(crosswalk completion bash)   # in ~/.bashrc
  source <(crosswalk completion zsh)    # in ~/.zshrc, after compinit
  crosswalk completion fish | source    # in ~/.config/fish/config.fish
  crosswalk completion powershell | Out-String | Invoke-Expression`,
		Args:              arguments(1, "the shell's name"),
		ValidArgsFunction: cobra.FixedCompletions(shells, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				fmt.Fprint(a.out, bashWords)
				return root.GenBashCompletionV2(a.out, !plain)
			case "zsh":
				if plain {
					return root.GenZshCompletionNoDesc(a.out)
				}
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, !plain)
			case "powershell":
				if plain {
					return root.GenPowerShellCompletion(a.out)
				}
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return usagef("unknown shell %q; known are %s", args[0], strings.Join(shells, ", "))
		},
	}
	cmd.Flags().BoolVar(&plain, "no-descriptions", false, "leave out what stands beside a completion")
	return cmd
}
