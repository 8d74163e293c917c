package measure

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Verdict is what a figure means.
type Verdict string

// The verdicts. Ahead is a pass that reaches the stretch; Info is a figure that
// nothing is asked of.
const (
	Info  Verdict = "–"
	Ahead Verdict = "pass, stretch"
	Pass  Verdict = "pass"
	Miss  Verdict = "miss"
	Void  Verdict = "void"
)

// Row is one line of a table of results.
type Row struct {
	Measure string
	// Value is compared with Must, which it may not exceed, and with Stretch; 0
	// for either is none.
	Value, Must, Stretch float64
	// Kind says what the numbers are.
	Kind Kind
	// Unit tells what the unit was like.
	Unit string
	// Void says why the figure means nothing; empty if it does.
	Void string
}

// Kind is what numbers a row has.
type Kind int

// The kinds: a ratio to a unit, and megabytes of 2^20 bytes.
const (
	Ratio Kind = iota
	Megabytes
)

// Verdict compares the value with what must be.
func (r *Row) Verdict() Verdict {
	switch {
	case r.Void != "":
		return Void
	case r.Must == 0 && r.Stretch == 0:
		return Info
	case r.Must > 0 && r.Value > r.Must:
		return Miss
	case r.Stretch > 0 && r.Value <= r.Stretch:
		return Ahead
	}
	return Pass
}

// number shows n as the row's kind has it.
func (r *Row) number(n float64) string {
	if n == 0 {
		return "–"
	}
	if r.Kind == Megabytes {
		return fmt.Sprintf("%.0f MB", n)
	}
	if n >= 10 {
		return fmt.Sprintf("%.1f", n)
	}
	return fmt.Sprintf("%.3f", n)
}

// bound shows a number that must not be exceeded.
func (r *Row) bound(n float64) string {
	if n == 0 {
		return "–"
	}
	if r.Kind == Megabytes {
		return "≤ " + r.number(n)
	}
	return fmt.Sprintf("≤ %g", n)
}

// cells are the row as a table shows it.
func (r *Row) cells() []string {
	verdict := string(r.Verdict())
	if r.Void != "" {
		verdict += ": " + strings.SplitN(r.Void, "\n", 2)[0]
	}
	return []string{r.Measure, r.number(r.Value), r.bound(r.Must), r.bound(r.Stretch), verdict, r.Unit}
}

// heads are the columns of a table.
func heads() []string { return []string{"measure", "value", "must", "stretch", "verdict", "unit"} }

// Print writes the rows for a terminal.
func Print(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(heads(), "\t"))
	for i := range rows {
		fmt.Fprintln(t, strings.Join(rows[i].cells(), "\t"))
	}
	return t.Flush()
}

// Markdown returns the rows as a table.
func Markdown(rows []Row) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(heads())
	b.WriteString(strings.Repeat("|---", len(heads())) + "|\n")
	for i := range rows {
		line(rows[i].cells())
	}
	return b.String()
}

// Missed reports whether a row misses what must be.
func Missed(rows []Row) bool {
	for i := range rows {
		if rows[i].Verdict() == Miss {
			return true
		}
	}
	return false
}
