package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"

	"github.com/crosswalk-agents/crosswalk/internal/fault"
)

// Record is one JSON value of a file.
type Record struct {
	// Line counts from 1; records glued on one line share it.
	Line int
	// Off is where Data begins in the (uncompressed) file, in bytes.
	Off int64
	// Guess says that a record was presumed to begin here, behind damage: the
	// parser should accept only what is a record beyond doubt.
	Guess bool
	// Data begins at the value's first byte and runs to the end of the line, so
	// it may hold more than the value. It is valid during the call only.
	Data []byte
}

// DamageKind names what is wrong with a place in a file.
type DamageKind string

// The kinds of damage.
const (
	// Glued: several complete records on one line. Nothing is lost.
	Glued DamageKind = "glued"
	// Cut: what is no record, or one that breaks off, with a record behind it on
	// the line.
	Cut DamageKind = "cut"
	// Torn: the last line breaks off, as after a crash or during a write.
	Torn DamageKind = "torn"
	// Malformed: a line that is no JSON.
	Malformed DamageKind = "malformed"
	// NUL: a run of NUL bytes, as after a power loss. Nothing else is lost.
	NUL DamageKind = "nul"
	// BOM: a byte order mark before a line, as files that were put together have
	// it within. Nothing is lost.
	BOM DamageKind = "bom"
	// NoFinalNewline: the last record is complete and not terminated.
	NoFinalNewline DamageKind = "no-final-newline"
	// CRLF: the file's first line ends with a carriage return.
	CRLF DamageKind = "crlf"
)

// Damage is one damaged place.
type Damage struct {
	Kind DamageKind
	Line int
	// Lost is how many bytes could not be read.
	Lost int
	// Err says what the parser met, if anything was lost.
	Err error
}

// Loses reports whether something could not be read.
func (d Damage) Loses() bool { return d.Lost > 0 }

const chunk = 256 << 10

// MaxLine is how long a line may be, in bytes, without the NUL bytes and white
// space around it. Of a longer one only the records are read that it begins
// with; the rest is lost.
const MaxLine = 256 << 20

// errLong says why the rest of a line was not read.
var errLong = errors.New("the line is longer than any record")

var bom = []byte("\xEF\xBB\xBF")

// Each calls parse for every record from the start of the file to the size it
// had at Open. Parse returns how many bytes of the record's data its value
// takes; an error says that no value begins there, and must leave no trace in
// the caller's state. Damage is reported in order as it is met. Each returns
// an error if the file cannot be read, or ctx ends.
func (f *File) Each(ctx context.Context, parse func(Record) (n int, err error), damage func(Damage)) error {
	s := scanner{ctx: ctx, parse: parse, damage: damage}
	r := io.NewSectionReader(f.src, 0, f.size)
	buf := make([]byte, 0, chunk)
	sum := f.watch.begin()
	for eof := false; !eof; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(buf) == cap(buf) {
			var err error
			if buf, err = s.long(f, r, sum, buf); err != nil {
				return err
			}
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		searched := len(buf)
		buf = buf[:len(buf)+n]
		sum.add(buf[searched:])
		switch done := s.off + s.passed + int64(len(buf)); {
		case errors.Is(err, io.EOF) && done == f.size:
			eof = true
		case err != nil:
			return f.readError(done, err)
		}
		if f.progress != nil {
			f.progress(s.off+s.passed+int64(len(buf)), f.size)
		}
		rest := s.lines(buf, searched)
		buf = buf[:copy(buf, rest)]
	}
	if len(buf) > 0 || s.passed > 0 {
		s.line(buf, false)
	}
	sum.end(f.size)
	fault.Point("source-indexed", f.path)
	return ctx.Err()
}

// long makes room behind buf, which is full and holds a part of one line that
// begins at s.off. A long line gets memory once, and no more than it needs: NUL
// bytes and white space around it, which may be as many as a file system can
// make of nothing, are passed over.
func (s *scanner) long(f *File, r io.Reader, sum io.Writer, buf []byte) ([]byte, error) {
	if n, nuls := leading(buf); n > 0 {
		s.passed, s.nuls = s.passed+int64(n), s.nuls || nuls > 0
		return buf[:copy(buf, buf[n:])], nil
	}
	read := s.off + s.passed + int64(len(buf))
	e, err := f.lineEnd(read)
	if err != nil {
		return nil, err
	}
	if e.filled > 0 && int64(len(buf))+e.filled <= MaxLine {
		return append(make([]byte, 0, len(buf)+int(e.filled)+chunk), buf...), nil
	}
	// What is left is nothing, or more than is read.
	s.beyond, s.nulsBehind = e.filled, e.nuls
	s.line(buf, e.terminated)
	s.beyond, s.nulsBehind = 0, false
	if e.terminated {
		e.end++
	}
	if n, err := io.CopyN(sum, r, e.end); err != nil {
		return nil, f.readError(read+n, err)
	}
	s.off = read + e.end
	return buf[:0], nil
}

// lineEnd is what there is from a place to the end of its line.
type lineEnd struct {
	// end and filled count the bytes up to the end of the line, and up to the
	// last one that is neither NUL nor white space.
	end, filled int64
	// nuls says that there are NUL bytes behind that.
	nuls bool
	// terminated says that a newline ends the line.
	terminated bool
}

func (f *File) lineEnd(off int64) (e lineEnd, err error) {
	b := make([]byte, chunk)
	for at := off; at < f.size; {
		n, err := f.src.ReadAt(b[:min(chunk, f.size-at)], at)
		part := b[:n]
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			part, e.terminated = part[:i], true
		}
		filled := bytes.TrimRight(part, " \t\r\x00")
		if len(filled) > 0 {
			e.filled, e.nuls = e.end+int64(len(filled)), false
		}
		e.nuls = e.nuls || bytes.IndexByte(part[len(filled):], 0) >= 0
		if e.end += int64(len(part)); e.terminated {
			return e, nil
		}
		if at += int64(n); err != nil && !errors.Is(err, io.EOF) || n == 0 {
			return e, f.readError(at, err)
		}
	}
	return e, nil
}

type scanner struct {
	ctx    context.Context
	parse  func(Record) (int, error)
	damage func(Damage)
	no     int
	off    int64 // of the line

	// passed counts the bytes of NUL and white space at the beginning of the line
	// that were passed over; nuls says that some of them were NUL bytes.
	passed int64
	nuls   bool
	// beyond counts the bytes of the line that are not read, nulsBehind says that
	// NUL bytes end it.
	beyond     int64
	nulsBehind bool
}

// lines handles the complete lines of b, whose first known bytes hold no
// newline, and returns what is left.
func (s *scanner) lines(b []byte, known int) []byte {
	for {
		i := bytes.IndexByte(b[known:], '\n')
		if i < 0 {
			return b
		}
		i += known
		passed := s.passed
		s.line(b[:i], true)
		s.off += passed + int64(i+1)
		b = b[i+1:]
		known = 0
	}
}

func (s *scanner) line(b []byte, terminated bool) {
	s.no++
	at := s.off + s.passed
	if s.passed == 0 && bytes.HasPrefix(b, bom) {
		s.damage(Damage{Kind: BOM, Line: s.no})
		b, at = b[len(bom):], at+int64(len(bom))
	}
	if n := len(b); terminated && n > 0 && b[n-1] == '\r' {
		if s.no == 1 {
			s.damage(Damage{Kind: CRLF, Line: 1})
		}
		b = b[:n-1]
	}
	s.values(b, at, terminated)
	s.passed, s.nuls = 0, false
}

// values hands out the values of a line. What cannot be read between two of
// them is one damage, whatever it is made of.
func (s *scanner) values(b []byte, at int64, terminated bool) {
	var lost Damage       // what could not be read since the last value
	complete := false     // a value ends right before b, but for white space
	pass := func(n int) { // at least one byte: the loop ends with the line
		n = min(max(n, 1), len(b))
		b, at = b[n:], at+int64(n)
	}
	for {
		blank, nuls := leading(b)
		if nuls > 0 || s.nuls || s.nulsBehind && blank == len(b) {
			s.damage(Damage{Kind: NUL, Line: s.no})
		}
		s.nuls = false
		b, at = b[blank:], at+int64(blank)
		if len(b) == 0 {
			break
		}
		n, err := s.parse(Record{Line: s.no, Off: at, Guess: lost.Lost > 0, Data: b})
		if err == nil {
			s.lose(lost, Cut)
			if complete && nuls == 0 {
				s.damage(Damage{Kind: Glued, Line: s.no})
			}
			lost, complete = Damage{}, true
			pass(n)
			continue
		}
		complete = false
		if lost.Err == nil {
			lost = Damage{Line: s.no, Err: err}
		}
		if n = resync(b); s.ctx.Err() != nil {
			n = len(b)
		}
		lost.Lost += n
		pass(n)
	}
	if s.beyond > 0 {
		if lost.Err == nil {
			lost = Damage{Line: s.no, Err: errLong}
		}
		lost.Lost += int(min(s.beyond, math.MaxInt-int64(lost.Lost)))
		complete = false
	}
	switch {
	case terminated:
		s.lose(lost, Malformed)
	case complete:
		s.damage(Damage{Kind: NoFinalNewline, Line: s.no})
	default:
		s.lose(lost, Torn)
	}
}

// lose reports d, if it is any damage, as one of the kind k.
func (s *scanner) lose(d Damage, k DamageKind) {
	if d.Lost > 0 {
		d.Kind = k
		s.damage(d)
	}
}

// leading counts the white space and NUL bytes that b begins with.
func leading(b []byte) (n, nuls int) {
	for n < len(b) {
		switch b[n] {
		case 0:
			nuls++
		case ' ', '\t', '\r':
		default:
			return n, nuls
		}
		n++
	}
	return n, nuls
}
