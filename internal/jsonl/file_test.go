package jsonl_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

func pack(t *testing.T, parts ...string) []byte {
	t.Helper()
	var out []byte
	for _, p := range parts { // a frame each, as an appending writer leaves them
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		out = append(out, b.Bytes()...)
	}
	return out
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string, l jsonl.Limits) *jsonl.File {
	t.Helper()
	f, err := jsonl.Open(t.Context(), path, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestOpenReadsPlainAndCompressedFiles(t *testing.T) {
	content := `{"n":1}` + "\n" + `{"n":2}` + "\n"
	for name, x := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"plain":                          {"a.jsonl", []byte(content), content},
		"zstd by its name":               {"a.jsonl.zst", pack(t, content), content},
		"zstd by its first bytes":        {"a.jsonl", pack(t, content), content},
		"zstd in several frames":         {"a.jsonl.zst", pack(t, content[:8], content[8:]), content},
		"empty":                          {"a.jsonl", nil, ""},
		"empty, named zst":               {"a.jsonl.zst", nil, ""},
		"shorter than the mark of zstd":  {"a.jsonl", []byte("\x28\xb5"), "\x28\xb5"},
		"zstd of nothing":                {"a.jsonl.zst", pack(t, ""), ""},
		"zstd with a record over frames": {"a.jsonl", pack(t, content[:3], content[3:]), content},
	} {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			path := write(t, x.file, x.data)
			f := open(t, path, jsonl.Limits{})
			if f.Path() != path || f.Size() != int64(len(x.want)) {
				t.Errorf("path %q, size %d, want %d", f.Path(), f.Size(), len(x.want))
			}
			w := walk(t, f, x.want)
			if got := strings.Join(w.records, "\n"); got != strings.TrimRight(x.want, "\n") && len(w.damage) == 0 {
				t.Errorf("records %q", got)
			}
			if n := len(x.want); n > 4 {
				if b, err := f.ReadAt(1, n-2); err != nil || string(b) != x.want[1:n-1] {
					t.Errorf("ReadAt: %q, %v", b, err)
				}
			}
			left, err := os.ReadDir(tmp)
			if err != nil || len(left) > 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	bomb := pack(t, strings.Repeat("\n", 100_000))
	for name, x := range map[string]struct {
		path   string
		limits jsonl.Limits
		want   error
	}{
		"what is not there":       {filepath.Join(t.TempDir(), "none"), jsonl.Limits{}, fs.ErrNotExist},
		"a directory":             {t.TempDir(), jsonl.Limits{}, jsonl.ErrNotRegular},
		"more than the size":      {write(t, "a.zst", bomb), jsonl.Limits{Size: 99_999}, jsonl.ErrBomb},
		"more than the ratio":     {write(t, "a.zst", pack(t, strings.Repeat("\n", 65<<20))), jsonl.Limits{Ratio: 2}, jsonl.ErrBomb},
		"a cut frame":             {write(t, "a.zst", bomb[:len(bomb)-3]), jsonl.Limits{}, nil},
		"a window past all sense": {write(t, "a.zst", []byte("\x28\xb5\x2f\xfd\x00\xff\x00\x00")), jsonl.Limits{}, zstd.ErrWindowSizeExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			f, err := jsonl.Open(t.Context(), x.path, x.limits)
			if err == nil {
				t.Fatal("it was opened", f.Close())
			}
			if x.want != nil && !errors.Is(err, x.want) {
				t.Errorf("error %v", err)
			}
			if !strings.Contains(err.Error(), x.path) {
				t.Errorf("the error does not name the file: %v", err)
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
		})
	}
}

func TestLimitsAllowWhatTheyName(t *testing.T) {
	content := strings.Repeat("\n", 100_000)
	path := write(t, "a.zst", pack(t, content))
	for name, l := range map[string]jsonl.Limits{
		"the size exactly":           {Size: 100_000},
		"the free amount, any ratio": {Ratio: 1},
		"the greatest numbers":       {Size: 1<<63 - 1, Ratio: 1<<63 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			if f := open(t, path, l); f.Size() != 100_000 {
				t.Errorf("size %d", f.Size())
			}
		})
	}
}

func TestAFileIsSeenAsItWasAtOpen(t *testing.T) {
	path := write(t, "a.jsonl", []byte(`{"n":1}`+"\n"+`{"n":2,"te`))
	f := open(t, path, jsonl.Limits{})
	w, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	more := func(s string) {
		if _, err := w.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	more(`xt":1}` + "\n")
	for range 2 {
		damage := 0
		records := 0
		err := f.Each(t.Context(), func(r jsonl.Record) (int, error) {
			n, err := parse(r)
			if err == nil {
				records++
				more(`{"n":9}` + "\n")
			}
			return n, err
		}, func(d jsonl.Damage) {
			if damage++; d.Kind != jsonl.Torn || d.Line != 2 {
				t.Errorf("damage %+v", d)
			}
		})
		if err != nil || records != 1 || damage != 1 {
			t.Errorf("%d records, %d times damaged, %v", records, damage, err)
		}
	}
	if again := open(t, path, jsonl.Limits{}); again.Size() <= f.Size() {
		t.Error("a new view does not show what was appended")
	}
}

func TestAWindowReadsWhatReadAtReads(t *testing.T) {
	content := strings.Repeat("0123456789", 60_000)
	f := jsonl.FromBytes("f", []byte(content))
	w := f.Window()
	for _, x := range []struct{ off, n int }{{0, 5}, {3, 10}, {200_000, 300_000}, {262_140, 10}, {500_000, 1}, {0, 1}, {599_990, 10}, {5, 0}} {
		b, err := w.Read(int64(x.off), x.n)
		if err != nil || string(b) != content[x.off:x.off+x.n] || cap(b) != x.n {
			t.Errorf("%d bytes at %d: %d bytes with room for %d, %v", x.n, x.off, len(b), cap(b), err)
		}
	}
	for _, x := range []struct{ off, n int }{{599_999, 2}, {700_000, 1}} {
		if b, err := w.Read(int64(x.off), x.n); err == nil {
			t.Errorf("%d bytes at %d: %q", x.n, x.off, b)
		}
	}
}

func TestFromFileSeesWhatIsThere(t *testing.T) {
	path := write(t, "a.jsonl", []byte(`{"n":1}`))
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := jsonl.FromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if f.Path() != path || f.Size() != 7 {
		t.Errorf("path %q, size %d", f.Path(), f.Size())
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := file.Stat(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is still open: %v", err)
	}
	if _, err := jsonl.FromFile(file); err == nil {
		t.Error("a closed file was taken")
	}
	if err := jsonl.FromBytes("f", nil).Close(); err != nil {
		t.Error(err)
	}
}

func TestFileEndsBehindANumberOfLines(t *testing.T) {
	long := `{"n":"` + strings.Repeat("x", 2*jsonl.Chunk) + `"}` + "\n"
	for _, c := range []struct {
		name, file string
		n          int
		want       int
	}{
		{"fewer", "{}\n{}\n{}\n", 2, 6},
		{"all", "{}\n{}\n", 2, 6},
		{"more than there are", "{}\n{}\n", 9, 6},
		{"no final newline", "{}\n{}", 2, 5},
		{"long lines", long + long + long, 2, 2 * len(long)},
		{"an empty file", "", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := jsonl.FromBytes("f", []byte(c.file))
			if err := f.LimitLines(c.n); err != nil || f.Size() != int64(c.want) {
				t.Errorf("%d bytes, %v; want %d", f.Size(), err, c.want)
			}
		})
	}
}

func TestPlacesWhereARecordMayEnd(t *testing.T) {
	file := `{"a":"}x"}{"b":1}` + "\r\n" + `{"c":2}` + "\n" + `{"d":3}`
	f := jsonl.FromBytes("f", []byte(file))
	var got []int
	for off := range len(file) + 2 {
		ends, err := f.EndsRecord(int64(off))
		if err != nil {
			t.Fatal(err)
		}
		if ends {
			got = append(got, off)
		}
	}
	if want := []int{10, 17, 19, 26, 27, 34}; !slices.Equal(got, want) {
		t.Errorf("records may end at %d, want %d", got, want)
	}
}

func TestTheContentTellsWhetherAFileIsCompressed(t *testing.T) {
	for name, content := range map[string][]byte{"a.jsonl.zst": []byte("{\"n\":1}\n"), "a.jsonl": pack(t, "{\"n\":1}\n")} {
		f, err := jsonl.Open(t.Context(), write(t, name, content), jsonl.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.ReadAt(0, int(f.Size())); err != nil || string(got) != "{\"n\":1}\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestUnpackingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := jsonl.Open(ctx, write(t, "a.zst", pack(t, strings.Repeat("x\n", 10_000))), jsonl.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
