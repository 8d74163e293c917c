package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// Exit codes, the same for every command.
const (
	exitDone      = 0
	exitFailed    = 1
	exitUsage     = 2
	exitProblems  = 3
	exitRefused   = 4
	exitCancelled = 130
)

var (
	// errSilent says that everything was said already.
	errSilent = errors.New("already reported")
	// errCancelled says that the person changed their mind.
	errCancelled = errors.New("cancelled")
	// errUnasked says that nobody is there to agree to a removal.
	errUnasked = errors.New("undo: nothing is removed, since nobody can be asked")
	// errProblems says that a check found problems.
	errProblems = errors.New("problems found")
)

func exitCode(err error) int {
	var u usageError
	var s secretsError
	switch {
	case errors.Is(err, errCancelled):
		return exitCancelled
	case errors.As(err, &u):
		return exitUsage
	case errors.Is(err, errProblems):
		return exitProblems
	case errors.As(err, &s), errors.Is(err, errUnasked), errors.Is(err, handoff.ErrRefused):
		return exitRefused
	}
	return exitFailed
}

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exclusive returns an error if more than one of the named flags or arguments
// is given.
func exclusive(given map[string]bool, names ...string) error {
	first := ""
	for _, name := range names {
		switch {
		case !given[name]:
		case first != "":
			return usagef("%s and %s exclude each other", first, name)
		default:
			first = name
		}
	}
	return nil
}

// standardOutput is the name of no file.
const standardOutput = "-"

// notAFolder refuses a name that is written as a folder's where a flag names a
// new file.
func notAFolder(flag, name string) error {
	if name != "" && os.IsPathSeparator(name[len(name)-1]) {
		return usagef("%s names a file, and %q is a folder: name the file in it", flag, name)
	}
	return nil
}

// hinted is an error with what to do next.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// complain prints an error and what to do about it.
func (a *app) complain(cmd *cobra.Command, err error) {
	fmt.Fprintln(a.err, "crosswalk:", visible(err.Error()))
	if hint := a.hint(cmd, err); hint != "" {
		fmt.Fprintln(a.err, indent(visible(hint), "  "))
	}
}

// hint returns what to do about an error; "" if there is nothing to say.
func (a *app) hint(cmd *cobra.Command, err error) string {
	var lines []string
	for _, s := range []string{a.ownHint(cmd, err), systemHint(err)} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

// systemHint returns what to do about a fault of the system, if the message does
// not say it.
func systemHint(err error) string {
	remedy := osx.Remedy(err)
	if remedy == "" && !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	var file *atomicfile.Error
	var path *fs.PathError
	place := ""
	switch {
	case errors.As(err, &file):
		place = file.Path
		if file.Hint != "" {
			remedy = ""
		}
	case errors.As(err, &path):
		place = path.Path
	}
	if temp := filepath.Clean(os.TempDir()); place != temp && !strings.HasPrefix(place, temp+string(filepath.Separator)) {
		return remedy
	}
	other := "name another folder for temporary files in TMPDIR"
	if remedy == "" {
		return other
	}
	return remedy + ", or " + other
}

// ownHint returns what to do about an error of Crosswalk's own.
func (a *app) ownHint(cmd *cobra.Command, err error) string {
	var h hinted
	var notFound *handoff.NotFoundError
	var ambiguous *handoff.AmbiguousError
	var comes *handoff.ComesFromError
	var passed *passedOverError
	var taken *handoff.TakenError
	var usage usageError
	switch {
	case errors.As(err, &h):
		return h.hint
	case errors.As(err, &notFound):
		return a.notFoundHint(cmd, notFound)
	case errors.As(err, &ambiguous):
		return a.ambiguousHint(cmd, ambiguous)
	case errors.Is(err, agent.ErrUnknownBranch):
		return "crosswalk show SESSION --branches lists the branches"
	case errors.As(err, &comes):
		return fmt.Sprintf("bring back what was added:  crosswalk pull %s\nor hand it over all the same:  crosswalk to %s %s",
			word(&comes.Entry), comes.Handoff.Source.Agent, word(&comes.Entry))
	case errors.As(err, &passed):
		return a.passedOverHint(passed)
	case errors.As(err, &taken) && taken.Handoff != nil:
		return fmt.Sprintf("choose another one with --id, or leave --id out\nor take that one back first:  crosswalk undo %s", shellWord(taken.ID))
	case errors.As(err, &taken):
		return "choose another one with --id, or leave --id out"
	case errors.Is(err, jsonl.ErrChanged):
		return "another program is writing it anew; run the command again once it is done"
	case errors.As(err, &usage) && cmd != nil:
		return cmd.CommandPath() + " --help tells how"
	}
	return ""
}
