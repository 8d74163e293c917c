package jsonx_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// walk reads a value in one of the ways a reader may: whole, by its members and
// elements, or leaving loops and values unread at random.
func walk(d *jsonx.Decoder, r *rand.Rand) {
	switch d.Kind() {
	case jsonx.Object:
		if r.IntN(4) == 0 {
			d.Raw()
			return
		}
		for range d.Members() {
			if leave := r.IntN(8); leave == 0 {
				break
			} else if leave == 1 {
				continue
			}
			walk(d, r)
			if r.IntN(8) == 0 {
				break
			}
		}
	case jsonx.Array:
		if r.IntN(4) == 0 {
			d.CleanRaw()
			return
		}
		for range d.Elements() {
			if leave := r.IntN(8); leave == 0 {
				break
			} else if leave == 1 {
				continue
			}
			walk(d, r)
			if r.IntN(8) == 0 {
				break
			}
		}
	case jsonx.String:
		d.Literal()
	case jsonx.Number:
		d.OptInt()
	case jsonx.True, jsonx.False:
		d.Bool()
	case jsonx.Null:
		d.OptStr()
	case jsonx.End:
		d.Skip()
	}
}

// agrees checks that the Decoder takes in for JSON when the standard library
// and jsontext do, however it is read.
func agrees(t rapid.TB, in []byte) {
	t.Helper()
	want := json.Valid(in)
	if got := jsontext.Value(in).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); got != want {
		t.Fatalf("%q is valid: %t, and to jsontext %t", in, want, got)
	}
	if got := jsonx.Raw(in).Valid(); got != want {
		t.Fatalf("%q is valid: %t", in, got)
	}
	before := bytes.Clone(in)
	for seed := range uint64(8) {
		d := jsonx.NewDecoder(in)
		walk(d, rand.New(rand.NewPCG(seed, seed)))
		if got := d.Err() == nil && !d.More(); got != want {
			t.Fatalf("%q is valid: %t, %v, read up to byte %d", in, got, d.Err(), d.Offset())
		}
	}
	if !bytes.Equal(in, before) {
		t.Fatalf("reading changed %q to %q", before, in)
	}
	if want {
		cleaned(t, in)
	}
}

func TestAnyTextIsReadAsTheStandardLibraryReadsIt(t *testing.T) {
	token := rapid.SampledFrom([]string{
		"{", "}", "[", "]", ",", ":", " ", "\n", `"a"`, `"a"`, `""`, `"\u00e9"`, `"\ud83d"`, `"\x"`, "\"\t\"", `"`, "\\", "\x00", "\xff",
		"true", "false", "null", "tru", "0", "-1.5e+10", "01", "1.", "-", "1e", `"a":`, `"b":`, `"12345678`, `1234567"`, `"é`,
	})
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		for _, s := range rapid.SliceOfN(token, 0, 12).Draw(t, "tokens") {
			b.WriteString(s)
		}
		agrees(t, b.Bytes())
	})
	t.Run("changed", rapid.MakeCheck(func(t *rapid.T) {
		text := []byte(`{"name" : [1,-2.5e-3, {"text":"A longer text with \"quotes\", \\ and \u00e9\ud83d\ude00 é 😀."}, [], {}], "b":true ,"c":null}`)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, len(text)-1).Draw(t, "at")
			text[i] = rapid.SampledFrom([]byte("\"\\{}[],: \n\x00\x1f\x7f\x80\xffu0a")).Draw(t, "to")
		}
		agrees(t, text[:rapid.IntRange(0, len(text)).Draw(t, "length")])
	}))
}

func FuzzDecoder(f *testing.F) {
	for _, in := range []string{`{"a":[1,"b\u0063",{"d":null}],"e":-1.5e3}`, `[[[]]]`, "\"\xff\\ud83d\"", `{"a":1,}`, `01`, `{"a":"` + "\t" + `"}`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) { agrees(t, in) })
}

func FuzzCleanValue(f *testing.F) {
	for _, in := range []string{`{"a\ud83d":["\ude00\ud83d\ude00"]}`, "[\"\xe2\x82\",\"\\\\ud83d\"]", `"\\\ud83d"`} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if json.Valid(in) {
			cleaned(t, in)
			return
		}
		jsonx.CleanValue(in) // may give anything, but not panic
		jsonx.CleanLiteral(in)
	})
}

func FuzzUnescape(f *testing.F) {
	f.Add(`a\n\u00e9\ud83d\ude00`, 3)
	f.Add(`\ud83d\u`, 1)
	f.Fuzz(func(t *testing.T, inside string, n int) {
		head := string(jsonx.AppendUnescapeHead(nil, inside, n))
		all := string(jsonx.AppendUnescape(nil, inside))
		if !bytes.HasPrefix([]byte(all), []byte(head)) {
			t.Fatalf("the head of %q is %q", all, head)
		}
		var want string
		if lit := `"` + inside + `"`; json.Unmarshal([]byte(lit), &want) == nil {
			clean, _ := jsonx.CleanLiteral([]byte(lit))
			if got := string(jsonx.AppendUnescape(nil, string(clean[1:len(clean)-1]))); got != want {
				t.Fatalf("%q is %q, want %q", inside, got, want)
			}
		}
		jsonx.CutUnescaped(inside, "ab")
	})
}
