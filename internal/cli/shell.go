package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crosswalk-agents/crosswalk/handoff"
)

// shellWord quotes s for a POSIX shell, if it must be. What a terminal must not
// get is written as escapes, which bash and zsh read back.
func shellWord(s string) string {
	if visible(s) != s || strings.ContainsAny(s, "\n\t") {
		return escapedWord(s)
	}
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+=,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// unseen reports whether r is no visible character.
func unseen(r rune) bool { return r < ' ' || visible(string(r)) != string(r) }

// escapedWord writes s in the quotes of bash and zsh that know escapes.
func escapedWord(s string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i, r := range s {
		n := utf8.RuneLen(r)
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(r)) {
			n = 1 // no UTF-8
		}
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError || unseen(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("'")
	return b.String()
}

// shellCommand is the line that continues a session.
func shellCommand(r *handoff.Resume) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		words = append(words, name+"="+shellWord(r.Env[name]))
	}
	for _, a := range r.Argv {
		words = append(words, shellWord(a))
	}
	cmd := strings.Join(words, " ")
	if r.Dir == "" {
		return cmd
	}
	return "cd " + shellWord(r.Dir) + " && " + cmd
}
