package dialecttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// Losses returns, as a page in Markdown, what each pair of codecs loses of the
// corpus: what a caller says that an upstream cannot be told, and what an upstream
// answers that a caller cannot be.
func Losses(t *testing.T, codecs []dialect.Codec) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| caller → upstream | requests | answers |\n|---|---|---|\n")
	var details strings.Builder
	for _, caller := range codecs {
		for _, upstream := range codecs {
			if caller.Name() == upstream.Name() {
				continue
			}
			requests, answers := requestLosses(t, caller, upstream), answerLosses(t, caller, upstream)
			fmt.Fprintf(&b, "| %s → %s | %s | %s |\n", caller.Name(), upstream.Name(), counted(requests), counted(answers))
			fmt.Fprintf(&details, "\n### %s → %s\n\n", caller.Name(), upstream.Name())
			list(&details, "Requests", requests)
			list(&details, "Answers", answers)
		}
	}
	return b.String() + details.String()
}

func counted(losses map[string]int) string {
	switch len(losses) {
	case 0:
		return "nothing"
	case 1:
		return "1 kind"
	}
	return fmt.Sprintf("%d kinds", len(losses))
}

func list(b *strings.Builder, title string, losses map[string]int) {
	if len(losses) == 0 {
		fmt.Fprintf(b, "%s: nothing.\n", title)
		return
	}
	fmt.Fprintf(b, "%s:\n\n", title)
	for _, l := range slices.Sorted(maps.Keys(losses)) {
		fmt.Fprintf(b, "- %s\n", l)
	}
	b.WriteString("\n")
}

// note counts losses by what, action and reason.
func note(to map[string]int, r *canon.Report) {
	for _, l := range r.Losses {
		to[fmt.Sprintf("**%s** %s: %s", l.What, l.Action, l.Why)]++
	}
}

func requestLosses(t *testing.T, caller, upstream dialect.Codec) map[string]int {
	t.Helper()
	out := make(map[string]int)
	for _, x := range CorpusRequests() {
		body, err := caller.EncodeRequest(nil, x.Make(), &dialect.Target{}, new(canon.Report))
		if err != nil {
			t.Fatal(err)
		}
		q, err := caller.DecodeRequest(body)
		if err != nil {
			t.Fatal(err)
		}
		var r canon.Report
		if _, err := upstream.EncodeRequest(nil, q, &dialect.Target{}, &r); err != nil {
			t.Fatal(err)
		}
		note(out, &r)
	}
	return out
}

func answerLosses(t *testing.T, caller, upstream dialect.Codec) map[string]int {
	t.Helper()
	out := make(map[string]int)
	for _, x := range CorpusResponses() {
		body, err := upstream.EncodeResponse(nil, x.Make(), new(canon.Report))
		if err != nil {
			t.Fatal(err)
		}
		var r canon.Report
		a, err := upstream.DecodeResponse(body, &r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := caller.EncodeResponse(nil, a, &r); err != nil {
			t.Fatal(err)
		}
		note(out, &r)
	}
	return out
}
