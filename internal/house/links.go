package house

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
)

// Listed is what the go command says of one package of the module.
type Listed struct {
	ImportPath string
	Deps       []string // everything it links, directly or not
}

// List asks the go command in dir for the module's packages and all they link on one system.
func List(ctx context.Context, dir, goos string) ([]Listed, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-json=ImportPath,Standard,Deps", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %q: %w\n%s", goos, err, stderr.Bytes())
	}
	var out []Listed
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var l Listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("read go list for %q: %w", goos, err)
		}
		out = append(out, l)
	}
}

// Linked compares what packages pull in with the bounds of links.
func Linked(t *Tree, rows []Row, links []Link, list []Listed) []Violation {
	var out []Violation
	for _, l := range list {
		path, ok := t.own(l.ImportPath)
		if !ok {
			continue
		}
		for _, link := range links {
			if !fits(rows, link.Packages, "", path) {
				continue
			}
			for _, dep := range l.Deps {
				if why := overlinked(t, rows, link, dep); why != "" {
					out = append(out, Violation{path, fmt.Sprintf("links %q: %s", dep, why)})
				}
			}
		}
	}
	return out
}

func overlinked(t *Tree, rows []Row, link Link, dep string) string {
	if own, ok := t.own(dep); ok {
		if !fits(rows, link.Own, "", own) {
			return "not among the packages it may link"
		}
		return ""
	}
	if standard(dep) {
		if slices.Contains(link.NoStd, dep) {
			return "that part of the standard library is too heavy for it"
		}
		return ""
	}
	if under(link.Modules, dep) {
		return ""
	}
	return "not among the modules it may link"
}
