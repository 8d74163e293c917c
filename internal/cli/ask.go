package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// canAsk reports whether a person is there to answer.
func (a *app) canAsk() bool { return a.inTTY && a.errTTY && !a.noInput }

// choose asks for one of words, by the beginning that no other has, and returns
// it; "" if the person gave none. --yes does not answer it.
func (a *app) choose(ctx context.Context, question string, words []string) string {
	labels := make([]string, len(words))
	short := make([]string, len(words))
	for i, w := range words {
		n := 1
		for slices.ContainsFunc(words, func(o string) bool { return o != w && strings.HasPrefix(o, w[:n]) }) {
			n++
		}
		short[i] = w[:n]
		labels[i] = "[" + w[:n] + "]" + w[n:]
	}
	for range 3 {
		fmt.Fprintf(a.err, "%s %s? ", question, strings.Join(labels, " · "))
		answer, err := a.answer(ctx)
		for i, w := range words {
			if strings.HasPrefix(answer, short[i]) && strings.HasPrefix(w, answer) {
				return w
			}
		}
		if err != nil {
			fmt.Fprintln(a.err)
			return ""
		}
	}
	return ""
}

// answer reads a line that the person types, until ctx ends.
func (a *app) answer(ctx context.Context) (string, error) {
	if a.answers == nil {
		a.answers = bufio.NewReader(a.in)
	}
	if f, ok := a.in.(*os.File); ok && a.answers.Buffered() == 0 {
		if err := osx.WaitReadable(ctx, f); err != nil {
			return "", err
		}
	}
	text, err := a.answers.ReadString('\n')
	return strings.ToLower(strings.TrimSpace(text)), err
}

// confirm asks a yes-or-no question; --yes answers it.
func (a *app) confirm(ctx context.Context, question string) bool {
	if a.yes {
		return true
	}
	return a.canAsk() && a.choose(ctx, question, []string{"yes", "no"}) == "yes"
}
