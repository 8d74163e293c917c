package claude

import (
	"bytes"
	"io"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// maxCopies bounds how many files with the same first record are compared: each
// with all others.
const maxCopies = 32

// markContinued hides those of a project's entries that another one goes on
// from: it begins with the same record, is newer and holds the last one. Older
// versions made a new file at every resume, and a fork copies its origin.
func markContinued(entries []agent.Entry) {
	byFirst := make(map[string][]int)
	for i := range entries {
		e := &entries[i]
		if e.Hidden == agent.HiddenContinued {
			e.Hidden = "" // of an earlier listing
		}
		if e.First != "" && e.Last != "" && e.Hidden == "" {
			byFirst[e.First] = append(byFirst[e.First], i)
		}
	}
	for _, same := range byFirst {
		if len(same) > maxCopies {
			continue
		}
		for _, i := range same {
			for _, j := range same {
				a, b := &entries[i], &entries[j]
				if i != j && a.Hidden == "" && b.Hidden == "" && b.Modified.After(a.Modified) && a.Last != b.Last && holdsRecord(b.Path, a.Last) {
					a.Hidden = agent.HiddenContinued
				}
			}
		}
	}
}

// holdsRecord reports whether the file has a record with the uuid.
func holdsRecord(path, uuid string) bool {
	f, err := osx.OpenLinked(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	want := jsonx.AppendQuote([]byte(`"uuid":`), uuid)
	buf := make([]byte, 0, 256<<10)
	for {
		n, err := io.ReadFull(f, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if bytes.Contains(buf, want) {
			return true
		}
		if err != nil {
			return false
		}
		buf = buf[:copy(buf, buf[len(buf)-len(want):])]
	}
}
