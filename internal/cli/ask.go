package cli

import (
	"bufio"
	"fmt"
	"strings"
)

// canAsk reports whether a person is there to answer.
func (a *app) canAsk() bool { return a.inTTY && a.errTTY && !a.noInput }

// choose asks for one of words, by its first letter, and returns it; "" if the
// person gave none. --yes does not answer it.
func (a *app) choose(question string, words []string) string {
	labels := make([]string, len(words))
	for i, w := range words {
		labels[i] = "[" + w[:1] + "]" + w[1:]
	}
	r := bufio.NewReader(a.in)
	for range 3 {
		fmt.Fprintf(a.err, "%s %s? ", question, strings.Join(labels, " · "))
		answer, err := r.ReadString('\n')
		answer = strings.ToLower(strings.TrimSpace(answer))
		for _, w := range words {
			if answer != "" && (answer == w || answer == w[:1]) {
				return w
			}
		}
		if err != nil {
			return ""
		}
	}
	return ""
}

// confirm asks a yes-or-no question; --yes answers it.
func (a *app) confirm(question string) bool {
	if a.yes {
		return true
	}
	return a.canAsk() && a.choose(question, []string{"yes", "no"}) == "yes"
}
