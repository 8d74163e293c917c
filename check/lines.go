package check

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// errNoRecord is how a parser says that a value is no record.
var errNoRecord = errors.New("not a JSON object")

// lineRules are the ids of the rules for damage to lines, under one agent's
// prefix.
type lineRules struct {
	agent string
	// behind says that NUL bytes behind a record on its line cost the record.
	behind bool
}

func (l lineRules) id(name string) string { return l.agent + "-" + name }

// lines reads a file's records and reports what is wrong with lines and bytes.
type lines struct {
	rules lineRules
	found *collector
	// record takes one record, without anything behind it; it returns an error
	// if it is none.
	record func(rec jsonl.Record, value []byte) error
	// count is the number of records.
	count int

	nul     struct{ line, before, behind int }
	last    int // line of the last record
	extent  canon.Extent
	decoded int // last line that was looked at for its UTF-8
}

// read reads the whole file.
func (l *lines) read(ctx context.Context, f *jsonl.File) error {
	l.extent = canon.Extent{Bytes: f.Size()}
	err := f.Each(ctx, l.parse, l.damage)
	l.extent.Lines = l.last
	l.flushNUL()
	return err
}

func (l *lines) parse(rec jsonl.Record) (int, error) {
	if l.nul.line != rec.Line {
		l.flushNUL()
	}
	if l.decoded != rec.Line { // the data of its first record is all of the line
		if l.decoded = rec.Line; !utf8.Valid(rec.Data) {
			l.found.add(l.rules.id("invalid-utf8"), rec.Line, "")
		}
	}
	value, err := valueOf(rec)
	if err != nil {
		return 0, err
	}
	if err := l.record(rec, value); err != nil {
		if rec.Guess {
			return 0, err
		}
		// A JSON value that is no record is damage of its own, and what may
		// follow on the line is still read.
		l.found.add(l.rules.id("malformed-line"), rec.Line, "%v", err)
		return len(value), nil
	}
	if _, n := jsonx.CleanValue(value); n > 0 && utf8.Valid(value) {
		l.found.add(l.rules.id("lone-surrogate"), rec.Line, "")
	}
	l.count++
	l.last = rec.Line
	if l.nul.line == rec.Line {
		l.nul.before++
	}
	return len(value), nil
}

// valueOf returns the JSON value that rec begins with. Behind damage only an
// object is taken for one.
func valueOf(rec jsonl.Record) ([]byte, error) {
	d := jsonx.NewDecoder(rec.Data)
	kind := d.Kind()
	if rec.Guess && kind != jsonx.Object {
		return nil, errNoRecord
	}
	d.Skip()
	if err := d.Err(); err != nil {
		return nil, err
	}
	return rec.Data[:d.Offset()], nil
}

func (l *lines) damage(d jsonl.Damage) {
	if l.nul.line != d.Line {
		l.flushNUL()
	}
	switch d.Kind {
	case jsonl.NUL:
		l.nul.line = d.Line
		if l.last == d.Line {
			l.nul.behind++
		}
	case jsonl.Glued:
		l.found.add(l.rules.id("glued-records"), d.Line, "")
	case jsonl.Cut:
		l.found.add(l.rules.id("cut-record"), d.Line, "%d bytes cannot be read", d.Lost)
	case jsonl.Torn:
		l.extent.Torn += int64(d.Lost)
		l.extent.Bytes -= int64(d.Lost)
		l.found.add(l.rules.id("torn-line"), d.Line, "%d bytes cannot be read", d.Lost)
	case jsonl.Malformed:
		l.found.add(l.rules.id("malformed-line"), d.Line, "%d bytes cannot be read", d.Lost)
	case jsonl.BOM:
		l.found.add(l.rules.id("bom"), d.Line, "")
	case jsonl.CRLF:
		l.found.add(l.rules.id("crlf"), d.Line, "")
	case jsonl.NoFinalNewline:
		l.found.add(l.rules.id("no-final-newline"), d.Line, "")
	}
}

// flushNUL reports the NUL bytes of the line that was read before: whether they
// cost a record is known only at its end.
func (l *lines) flushNUL() {
	switch n := l.nul; {
	case n.line == 0:
	case n.before > 0, n.behind > 0 && l.rules.behind:
		l.found.add(l.rules.id("nul-record"), n.line, "")
	default:
		l.found.add(l.rules.id("nul-bytes"), n.line, "")
	}
	l.nul = struct{ line, before, behind int }{}
}
