package claude

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	persistedTag   = "<persisted-output>"
	persistedSaved = "saved to: "
	// outputFolder is where a session's folder holds large outputs.
	outputFolder = "tool-results"
	// maxPersisted bounds what is taken from one file of a session's folder.
	maxPersisted = 64 << 20
	// maxRepeated bounds what is taken more than once of all of them: each mention
	// of a file costs its size.
	maxRepeated = 64 << 20
)

// persisted puts back the tool outputs that the client moved out of the file
// because of their size: from the session's own folder, where only the bare
// file name counts, else from the record's structured twin. (Claude Code
// 2.1.14 to 2.1.332.)
func (rd *reader) persisted(m *canon.Message, rec *record) {
	for _, b := range m.Blocks {
		r, ok := b.(*canon.ToolResultBlock)
		if !ok || len(r.Content) != 1 {
			continue
		}
		t, ok := r.Content[0].(*canon.TextBlock)
		if !ok || !t.Text.HasPrefix(persistedTag) {
			continue
		}
		preview := t.Text.Head(4096)
		text, source := rd.fullOutput(preview, rec)
		if report := rd.report; report != nil {
			report.Note("persisted-outputs-"+string(source), 1)
			if source == outputFile {
				report.Note(agent.NoteBeside+path.Join(outputFolder, persistedName(preview)), 1)
			}
			if why := source.loses(); why != "" {
				report.Change(m, string(canon.KindToolResult), canon.Downgraded, why)
			}
		}
		if source != outputMissing && source != outputAgain {
			t.Text = text
		}
	}
}

// outputSource says where a persisted output was found.
type outputSource string

const (
	outputFile    outputSource = "from-file"
	outputRecord  outputSource = "from-record"
	outputPart    outputSource = "cut" // the record holds the beginning
	outputMissing outputSource = "missing"
	outputAgain   outputSource = "repeated" // too much was taken more than once
)

// loses says what is lost; "" if nothing is.
func (s outputSource) loses() string {
	switch s {
	case outputFile, outputRecord:
	case outputPart:
		return "the client kept only the beginning of the output in the file, and the full output is gone"
	case outputAgain:
		return "the full output stands where it is mentioned first; this is its preview"
	case outputMissing:
		return "the client kept only a preview in the file, and the full output is gone"
	}
	return ""
}

// fullOutput returns the output and where it was found.
func (rd *reader) fullOutput(preview string, rec *record) (t canon.Text, source outputSource) {
	if name := persistedName(preview); name != "" {
		if rd.beside[name] && rd.repeated >= maxRepeated {
			return t, outputAgain
		}
		if b, err := readBeside(rd.s.dir, path.Join(outputFolder, name)); err == nil {
			rd.tookBeside(name, len(b))
			return canon.NewText(string(b)), outputFile
		}
	}
	t, size := structuredOutput(rec.toolUseResult)
	switch {
	case t.Size() <= len(preview):
		return t, outputMissing
	case int64(len(t.String())) < size:
		return t, outputPart
	}
	return t, outputRecord
}

// tookBeside remembers that n bytes were taken from the file called name.
func (rd *reader) tookBeside(name string, n int) {
	if rd.beside[name] {
		rd.repeated += int64(n)
	}
	if rd.beside == nil {
		rd.beside = make(map[string]bool)
	}
	rd.beside[name] = true
}

// persistedName returns the bare name of the file that a preview names, or "".
func persistedName(preview string) string {
	_, rest, ok := strings.Cut(preview, persistedSaved)
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	name := line[strings.LastIndexAny(line, `/\`)+1:]
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, 0) {
		return ""
	}
	return name
}

// readBeside reads a regular file below dir, which is no link. Links that lead
// out of it and special files are refused.
func readBeside(dir, name string) (b []byte, err error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("read %q: no folder", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPersisted {
		return nil, fmt.Errorf("read %q: not a regular file of at most %d bytes", name, maxPersisted)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxPersisted))
}

// structuredOutput returns the output text of a toolUseResult, and how many
// bytes the whole output has, if that is said.
func structuredOutput(v canon.Raw) (t canon.Text, size int64) {
	if v.Kind() != jsonx.Object {
		return t, 0
	}
	d := jsonx.NewDecoder(v)
	for name := range d.Members() {
		switch n := string(name); {
		case n == "persistedOutputSize":
			size = d.OptInt()
		case (n == "stdout" || n == "content") && d.Kind() == jsonx.String && t.IsEmpty():
			t = canon.ReadText(d)
		}
	}
	return t, size
}
