package claude

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

const (
	persistedTag   = "<persisted-output>"
	persistedSaved = "saved to: "
	// maxPersisted bounds what is taken from one file of a session's folder.
	maxPersisted = 64 << 20
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
		text, source := rd.fullOutput(t.Text.Head(4096), rec)
		if report := rd.s.opts.Report; report != nil {
			report.Note("persisted-outputs-"+source, 1)
			if source == "missing" {
				report.Lose(canon.Loss{Where: m.Where(), What: string(canon.KindToolResult), Action: canon.Downgraded,
					Why: "the client kept only a preview in the file, and the full output is gone"})
			}
		}
		if source != "missing" {
			t.Text = text
		}
	}
}

// fullOutput returns the output and where it was found.
func (rd *reader) fullOutput(preview string, rec *record) (t canon.Text, source string) {
	if name := persistedName(preview); name != "" {
		if b, err := readBeside(rd.s.dir, path.Join("tool-results", name)); err == nil {
			return canon.NewText(string(b)), "from-file"
		}
	}
	if t, ok := structuredOutput(rec.toolUseResult); ok && t.Size() > len(preview) {
		return t, "from-record"
	}
	return t, "missing"
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

// readBeside reads a regular file below dir. Links that lead out of it and
// special files are refused.
func readBeside(dir, name string) (b []byte, err error) {
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

// structuredOutput returns the output text of a toolUseResult.
func structuredOutput(v canon.Raw) (t canon.Text, ok bool) {
	if v.Kind() != jsonx.Object {
		return t, false
	}
	d := jsonx.NewDecoder(v)
	for name := range d.Members() {
		if n := string(name); (n == "stdout" || n == "content") && d.Kind() == jsonx.String && !ok {
			t, ok = canon.ReadText(d), true
		}
	}
	return t, ok
}
