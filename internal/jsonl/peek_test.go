package jsonl_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

func TestPeekGivesTheFirstAndLastLinesWhole(t *testing.T) {
	long := strings.Repeat("x", 50)
	none := "no tail"
	for name, x := range map[string]struct {
		file       string
		n, most    int
		head, tail string
	}{
		"an empty file":                     {"", 10, 20, "", none},
		"a short file is all head":          {"a\nb\n", 10, 20, "a\nb\n", none},
		"a file of exactly the size":        {"a\nb\nc\nd\n", 8, 20, "a\nb\nc\nd\n", none},
		"a short file without newline":      {"a\nb", 10, 20, "a\nb", none},
		"a line of exactly the limit":       {"0123456789", 5, 10, "0123456789", none},
		"lines":                             {"aaa\nbbb\nccc\nddd\neee\n", 9, 20, "aaa\nbbb\n", "ddd\neee\n"},
		"lines that begin where one starts": {"aaa\nbbb\nccc\nddd\n", 4, 20, "aaa\n", "ddd\n"},
		"head and tail never overlap":       {"aaa\nbbb\nccc\n", 10, 20, "aaa\nbbb\n", "ccc\n"},
		"a torn last line":                  {"aaa\nbbb\nccc\ndd", 5, 20, "aaa\n", "dd"},
		"a long first line is still whole":  {long + "\nbbbb\ncccc\ndddd\n", 8, 60, long + "\nbbbb\ncccc\n", "dddd\n"},
		"too long a first line":             {long + "\nb\nc\n", 8, 20, "", "b\nc\n"},
		"a long last line is still whole":   {"a\nb\n" + long + "\n", 8, 60, "a\nb\n", long + "\n"},
		"too long a last line":              {"a\nb\n" + long, 8, 20, "a\nb\n", none},
		"one line, too long":                {long, 8, 20, "", none},
		"one line, too long, with its end":  {long + "\n", 8, 20, "", none},
		"no size":                           {"aaa\nbbb\nccc\n", 0, 0, "", none},
		"a limit below the size":            {"aaa\nbbb\nccc\n", 5, 1, "aaa\n", "ccc\n"},
		"blank lines":                       {"\n\n\n\n\n\n\n\n", 2, 10, "\n\n\n", "\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := new(jsonl.Peeker).Peek(write(t, "a.jsonl", []byte(x.file)), x.n, x.most)
			if err != nil {
				t.Fatal(err)
			}
			tail := string(p.Tail)
			if p.Tail == nil {
				tail = none
			}
			if string(p.Head) != x.head || tail != x.tail || p.Size != int64(len(x.file)) {
				t.Errorf("head %q, tail %q, size %d\nwant head %q, tail %q", p.Head, tail, p.Size, x.head, x.tail)
			}
		})
	}
}

func TestPeekReadsTheHeadOfCompressedFiles(t *testing.T) {
	content := strings.Repeat("aaa\n", 100)
	for name, x := range map[string]struct {
		data []byte
		head string
	}{
		"all of it":    {pack(t, "a\nb\n"), "a\nb\n"},
		"the head":     {pack(t, content), "aaa\naaa\n"},
		"a cut frame":  {pack(t, content)[:10], ""},
		"a large file": {pack(t, strings.Repeat("aaa\n", 50<<20)), "aaa\naaa\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := new(jsonl.Peeker).Peek(write(t, "a.jsonl.zst", x.data), 9, 20)
			if err != nil {
				t.Fatal(err)
			}
			if string(p.Head) != x.head || p.Tail != nil || p.Size != int64(len(x.data)) {
				t.Errorf("head %q, tail %q, size %d", p.Head, p.Tail, p.Size)
			}
		})
	}
}

func TestPeekRefuses(t *testing.T) {
	for name, x := range map[string]struct {
		path string
		want error
	}{
		"what is not there": {filepath.Join(t.TempDir(), "none"), fs.ErrNotExist},
		"a directory":       {t.TempDir(), jsonl.ErrNotRegular},
	} {
		t.Run(name, func(t *testing.T) {
			if p, err := new(jsonl.Peeker).Peek(x.path, 10, 10); !errors.Is(err, x.want) {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}

func TestPeekedLinesAreThoseOfTheFile(t *testing.T) {
	dir := t
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.StringOf(rapid.SampledFrom([]rune("ab\n"))).Draw(t, "file")
		n, most := rapid.IntRange(-1, 40).Draw(t, "n"), rapid.IntRange(-1, 80).Draw(t, "most")
		p, err := new(jsonl.Peeker).Peek(write(dir, "a.jsonl", []byte(file)), n, most)
		if err != nil {
			t.Fatal(err)
		}
		head, tail := string(p.Head), string(p.Tail)
		if !strings.HasPrefix(file, head) || !strings.HasSuffix(file, tail) || len(head)+len(tail) > len(file) {
			t.Fatalf("%q: head %q, tail %q", file, head, tail)
		}
		if len(head) < len(file) && head != "" && !strings.HasSuffix(head, "\n") {
			t.Fatalf("%q: the head %q is not of whole lines", file, head)
		}
		if before := strings.TrimSuffix(file, tail); tail != "" && before != "" && !strings.HasSuffix(before, "\n") {
			t.Fatalf("%q: the tail %q is not of whole lines", file, tail)
		}
		if len(head) == len(file) && p.Tail != nil {
			t.Fatalf("%q: all of it is head, and the tail is %q", file, tail)
		}
		first, _, _ := strings.Cut(file, "\n")
		if len(first) < max(n, most) && head == "" && file != "" {
			t.Fatalf("%q: no head", file)
		}
	})
}
