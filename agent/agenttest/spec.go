package agenttest

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/fixture"
)

// Spec reads the sessions of the transcripts in folder, each of which shows one
// rule of a format. The first file of a transcript is the session; further ones
// lie beside it. What has to come out is in files whose names begin with want:
//
//	want         the model's view, as in Lines
//	want full    the full view
//	want NAME    the branch that ends in the record NAME
//	want notes   the report's notes, one a line
//	want losses  its losses
//	want damage  the damaged places
//	want thread  the header: id, title, directory and so on
//	want error   the error of opening
//
// A transcript that wants nothing fails; update writes the model's view into it,
// and what else it names.
func Spec(t *testing.T, a agent.Agent, folder string, update bool) {
	fixture.Transcripts(t, folder, update, func(t *testing.T, spec *txtar.Archive) []txtar.File { return check(t, a, spec) })
}

const wants = "want"

// check returns the files of spec with what came out.
func check(t *testing.T, a agent.Agent, spec *txtar.Archive) (got []txtar.File) {
	t.Helper()
	dir := t.TempDir()
	path := ""
	var asked []string
	for _, f := range spec.Files {
		if what, ok := strings.CutPrefix(f.Name, wants); ok {
			asked = append(asked, strings.TrimSpace(what))
			continue
		}
		got = append(got, f)
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		write(t, name, unescape(string(f.Data)))
		if path == "" {
			path = name
		}
	}
	if len(asked) == 0 {
		asked = []string{""}
	}
	for _, what := range asked {
		name := strings.TrimSpace(wants + " " + what)
		got = append(got, txtar.File{Name: name, Data: []byte(answer(t, a, path, what))})
	}
	return got
}

// unescape puts in what a text file cannot hold: \NUL, \BOM, \CR and \FF for
// those bytes, and \EOF at the end for no newline.
func unescape(s string) string {
	if head, ok := strings.CutSuffix(s, "\\EOF\n"); ok {
		s = head
	}
	return strings.NewReplacer(`\NUL`, "\x00", `\BOM`, "\ufeff", `\CR`, "\r", `\FF`, "\xff").Replace(s)
}

// answer returns what was asked for of the session at path.
func answer(t *testing.T, a agent.Agent, path, what string) string {
	t.Helper()
	var r canon.Report
	o := agent.OpenOptions{Report: &r, Home: surroundings(t)}
	switch what {
	case "", "notes", "losses", "damage", "thread", "error":
	case "full":
		o.View = agent.FullView
	default:
		o.Branch = what
	}
	s, err := a.Open(t.Context(), path, o)
	if what == "error" {
		if err == nil {
			must(t, s.Close())
		}
		return strings.ReplaceAll(fmt.Sprintln(err), filepath.Dir(path)+string(filepath.Separator), "")
	}
	must(t, err)
	defer closeSession(t, s)
	lines := drain(t, s)
	switch what {
	case "notes":
		lines = nil
		for _, k := range slices.Sorted(maps.Keys(r.Notes)) {
			lines = append(lines, fmt.Sprintf("%s: %d", k, r.Notes[k]))
		}
	case "losses":
		lines = nil
		for _, l := range r.Losses {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s: %s", l.Where, l.Action, l.What, l.Why)))
		}
	case "damage":
		lines = nil
		for _, d := range r.Damage {
			lines = append(lines, d.Where+" "+d.Kind)
		}
	case "thread":
		lines = header(s.Thread())
	}
	out := ""
	for _, l := range lines {
		out += l + "\n"
	}
	return out
}

func header(th canon.Thread) (lines []string) {
	say := func(name, value string) {
		if value != "" {
			lines = append(lines, name+" "+value)
		}
	}
	say("id", th.ID)
	say("title", th.Title)
	say("directory", th.Dir)
	say("branch", th.Git.Branch)
	say("commit", th.Git.Commit)
	say("model", th.Model)
	say("version", th.ClientVersion)
	say("forked from", th.ForkedFrom)
	if !th.Created.IsZero() {
		say("created", th.Created.UTC().Format("2006-01-02T15:04:05.000Z"))
		say("updated", th.Updated.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	if th.Origin != nil {
		say("origin", th.Origin.Agent+" "+th.Origin.ID)
	}
	return lines
}
