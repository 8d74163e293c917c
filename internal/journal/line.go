package journal

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// readSize is how much is read at a time.
const readSize = 64 << 10

// line is one line of a segment. Its text is valid until the next is read and
// nil when the line is longer than MaxLine.
type line struct {
	text   []byte // without the newline
	offset int64
	size   int64 // with the newline, and as if there were one at the very end
}

// forwardLines reads lines from first to last.
type forwardLines struct {
	r      *bufio.Reader
	buf    []byte
	offset int64
}

func newForwardLines(r io.ReaderAt, start, end int64) *forwardLines {
	section := io.NewSectionReader(r, start, max(0, end-start))
	return &forwardLines{r: bufio.NewReaderSize(section, readSize), offset: start}
}

// next returns io.EOF after the last line.
func (l *forwardLines) next() (line, error) {
	found := line{offset: l.offset}
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		found.size += int64(len(part))
		if found.size <= MaxLine {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && found.size > 0:
			found.size++
		case err != nil:
			return line{}, err
		}
		break
	}
	l.offset += found.size
	if found.size <= MaxLine {
		found.text = bytes.TrimSuffix(l.buf, []byte{'\n'})
	}
	return found, nil
}

// backwardLines reads lines from last to first.
type backwardLines struct {
	r io.ReaderAt
	// buf holds the bytes of the file from start to end, the part that is
	// read but not yet returned.
	buf        []byte
	start, end int64
}

func newBackwardLines(r io.ReaderAt, end int64) *backwardLines {
	return &backwardLines{r: r, start: end, end: end}
}

// next returns io.EOF after the first line of the file.
func (l *backwardLines) next() (line, error) {
	if l.end == 0 {
		return line{}, io.EOF
	}
	if l.start == l.end {
		if err := l.extend(false); err != nil {
			return line{}, err
		}
	}
	end := l.end
	if l.buf[len(l.buf)-1] == '\n' {
		end--
	}
	unsearched, tooLong := end, false
	for {
		if i := bytes.LastIndexByte(l.buf[:unsearched-l.start], '\n'); i >= 0 {
			return l.take(l.start+int64(i)+1, end, tooLong), nil
		}
		if l.start == 0 {
			return l.take(0, end, tooLong), nil
		}
		unsearched = l.start
		tooLong = end-l.start >= MaxLine
		if err := l.extend(tooLong); err != nil {
			return line{}, err
		}
	}
}

// take cuts the line from start to end off the end of what is read.
func (l *backwardLines) take(start, end int64, tooLong bool) line {
	found := line{offset: start, size: end - start + 1}
	if !tooLong && found.size <= MaxLine {
		found.text = l.buf[start-l.start : end-l.start]
	}
	l.buf, l.end = l.buf[:start-l.start], start
	return found
}

// extend reads what comes before l.start, as much again as there is already,
// so that a long line costs a time in proportion to its length. With drop
// what is there is forgotten.
func (l *backwardLines) extend(drop bool) error {
	if drop {
		l.buf = l.buf[:0]
	}
	kept := len(l.buf)
	size := int(min(l.start, max(readSize, int64(kept))))
	buf := l.buf
	if cap(buf) < size+kept {
		buf = make([]byte, size+kept)
	}
	buf = buf[:size+kept]
	copy(buf[size:], l.buf)
	n, err := l.r.ReadAt(buf[:size], l.start-int64(size))
	if n < size {
		// To the caller io.EOF would be the regular end.
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	l.buf, l.start = buf, l.start-int64(size)
	return nil
}
