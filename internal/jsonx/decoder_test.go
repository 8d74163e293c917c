package jsonx_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

func TestMembersAndElementsAreReadInOrder(t *testing.T) {
	d := jsonx.NewDecoder([]byte(` { "b" : 1 , "a" : [ true , null , "x" , { "c" : -0.5e+3 } ] , "b" : {} } `))
	var got []string
	for name := range d.Members() {
		got = append(got, string(name))
		if d.Kind() != jsonx.Array {
			got = append(got, string(d.Raw()))
			continue
		}
		for i := range d.Elements() {
			got = append(got, fmt.Sprintf("%d %v %s", i, d.Kind(), d.Raw()))
		}
	}
	want := []string{"b", "1", "a", "0 boolean true", "1 null null", `2 string "x"`, `3 object { "c" : -0.5e+3 }`, "b", "{}"}
	if !slices.Equal(got, want) || d.Err() != nil || d.More() {
		t.Errorf("%q, %v, more %t", got, d.Err(), d.More())
	}
}

func TestNamesComeDecoded(t *testing.T) {
	for in, want := range map[string]string{
		`""`: "", `"a"`: "a", `"\u0061\n\"\\\/"`: "a\n\"\\/", `"é😀"`: "é😀", `"\ud83d\ude00"`: "😀", `"\ud83d"`: "\uFFFD", "\"a\xff\"": "a\uFFFD", "\"\\n\xe2\x82\"": "\n\uFFFD\uFFFD",
	} {
		d := jsonx.NewDecoder([]byte("{" + in + ":1}"))
		n := 0
		for name := range d.Members() {
			if n++; string(name) != want {
				t.Errorf("%s: %q", in, name)
			}
		}
		if n != 1 || d.Err() != nil || d.Damaged() != strings.Count(want, "\uFFFD") {
			t.Errorf("%s: %d members, %v, %d damaged", in, n, d.Err(), d.Damaged())
		}
	}
}

// A loop may be left and a value be left unread at any place: what follows is
// read from the right place.
func TestWhatIsLeftIsSkipped(t *testing.T) {
	const in = `{"a":[1,[2,3],{"x":"]"}],"b":{"c":{"d":1},"e":2},"f":"g"}[5]`
	rest := func(t *testing.T, d *jsonx.Decoder, want string) {
		t.Helper()
		if got := string(d.Raw()); got != want || d.Err() != nil || d.More() {
			t.Errorf("then came %q, %v", got, d.Err())
		}
	}
	t.Run("members", func(t *testing.T) {
		d := jsonx.NewDecoder([]byte(in))
		n := 0
		for range d.Members() {
			n++
		}
		if n != 3 {
			t.Errorf("%d members", n)
		}
		rest(t, d, "[5]")
	})
	t.Run("the rest of an object, the value unread", func(t *testing.T) {
		d := jsonx.NewDecoder([]byte(in))
		for range d.Members() {
			break
		}
		rest(t, d, "[5]")
	})
	t.Run("the rest of an object, the value read", func(t *testing.T) {
		d := jsonx.NewDecoder([]byte(in))
		for range d.Members() {
			d.Skip()
			break
		}
		rest(t, d, "[5]")
	})
	t.Run("the rest of an array", func(t *testing.T) {
		d := jsonx.NewDecoder([]byte(in))
		for range d.Members() {
			if d.Kind() != jsonx.Array {
				continue
			}
			for i := range d.Elements() {
				if i == 1 {
					break
				}
			}
		}
		rest(t, d, "[5]")
	})
	t.Run("the rest of all, from within", func(t *testing.T) {
		d := jsonx.NewDecoder([]byte(in))
	outer:
		for range d.Members() {
			if d.Kind() != jsonx.Object {
				continue
			}
			for range d.Members() {
				for range d.Members() {
					break outer
				}
			}
		}
		rest(t, d, "[5]")
	})
	t.Run("a value that was only looked at", func(t *testing.T) {
		d := jsonx.NewDecoder([]byte(in))
		for range d.Members() {
			d.Kind()
			d.Next()
		}
		rest(t, d, "[5]")
	})
	t.Run("an empty object and array", func(t *testing.T) {
		d := jsonx.NewDecoder([]byte(`{"a":{},"b":[ ]}[5]`))
		for name := range d.Members() {
			if string(name) == "a" {
				for range d.Members() {
					t.Error("a member of {}")
				}
				continue
			}
			for range d.Elements() {
				t.Error("an element of []")
			}
		}
		rest(t, d, "[5]")
	})
}

func TestTheFirstErrorStays(t *testing.T) {
	for _, x := range []struct{ name, in, want string }{
		{"cut in a string", `{"a":"b`, "the text ends within a value at byte 7"},
		{"cut in an object", `{"a":1`, "the text ends within a value at byte 6"},
		{"cut behind a comma", `{"a":1,`, "the text ends within a value at byte 7"},
		{"nothing", ``, "the text ends within a value at byte 0"},
		{"a comma too many", `{"a":1,}`, "invalid character at byte 7"},
		{"no colon", `{"a" 1}`, "missing colon at byte 5"},
		{"no comma", `{"a":1 "b":2}`, "missing comma at byte 7"},
		{"no name", `{1:2}`, "member name is no string at byte 1"},
		{"a control character", "{\"a\":\"\n\"}", "control character in a string at byte 6"},
		{"an unknown escape", `{"a":"\x12345"}`, "invalid escape in a string at byte 6"},
		{"another kind", `[1]`, "unexpected kind of value: want object, got array at byte 0"},
		{"rubbish", `rubbish`, "invalid character at byte 0"},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := jsonx.NewDecoder([]byte(x.in))
			for range d.Members() {
				d.Skip()
			}
			first := d.Err()
			if first == nil || !strings.HasPrefix(first.Error(), x.want) {
				t.Fatalf("error %v", first)
			}
			if cut := strings.HasPrefix(x.want, "the text ends"); errors.Is(first, io.ErrUnexpectedEOF) != cut {
				t.Errorf("%v is an unexpected end: %t", first, !cut)
			}
			for range d.Members() {
				t.Error("a member after the error")
			}
			for range d.Elements() {
				t.Error("an element after the error")
			}
			zero := d.Raw() == nil && d.CleanRaw() == nil && d.Literal() == nil && d.Str() == "" && d.OptStr() == "" && !d.Bool() && !d.OptBool() && d.OptInt() == 0 && d.Slice(0) == nil
			if !zero || d.Kind() != jsonx.End || d.More() {
				t.Error("something was read after the error")
			}
			if d.Skip(); !errors.Is(d.Err(), first) {
				t.Errorf("the error became %v", d.Err())
			}
			if d.Reset([]byte(`1`)); d.Err() != nil || d.OptInt() != 1 {
				t.Error("Reset does not begin anew")
			}
		})
	}
}

func TestReadsOfOneKindRefuseOthers(t *testing.T) {
	values := map[string]string{"null": "null", "boolean": "true", "string": `"a"`, "number": "1", "object": "{}", "array": "[]"}
	reads := map[string]func(*jsonx.Decoder){
		"string": func(d *jsonx.Decoder) { d.Str() }, "boolean": func(d *jsonx.Decoder) { d.Bool() },
		"object": func(d *jsonx.Decoder) {
			for range d.Members() {
				d.Skip()
			}
		},
		"array": func(d *jsonx.Decoder) {
			for range d.Elements() {
				d.Skip()
			}
		},
	}
	for want, read := range reads {
		for got, value := range values {
			d := jsonx.NewDecoder([]byte("[" + value + "]"))
			for range d.Elements() {
				read(d)
			}
			err := d.Err()
			if want == got && err != nil || want != got && (!errors.Is(err, jsonx.ErrKind) || !strings.Contains(err.Error(), "want "+want+", got "+got)) {
				t.Errorf("%s read as %s: %v", value, want, err)
			}
		}
		d := jsonx.NewDecoder([]byte("[]"))
		for range d.Elements() {
			t.Error("an element")
		}
		if read(d); !errors.Is(d.Err(), io.ErrUnexpectedEOF) {
			t.Errorf("%s behind the end: %v", want, d.Err())
		}
	}
}

func TestOptionalReadsSkipOtherKinds(t *testing.T) {
	for _, x := range []struct {
		in     string
		str    string
		isTrue bool
		number int64
	}{
		{`"a\u0062"`, "ab", false, 0},
		{`true`, "", true, 0},
		{`false`, "", false, 0},
		{`null`, "", false, 0},
		{`7`, "", false, 7},
		{`-9223372036854775808`, "", false, -1 << 63},
		{`9223372036854775808`, "", false, 0},
		{`7.0`, "", false, 0},
		{`1e2`, "", false, 0},
		{`{"a":[1]}`, "", false, 0},
		{`[true,"a",1]`, "", false, 0},
	} {
		d := jsonx.NewDecoder([]byte("[" + x.in + "," + x.in + "," + x.in + "]"))
		for i := range d.Elements() {
			switch i {
			case 0:
				if got := d.OptStr(); got != x.str {
					t.Errorf("%s: string %q", x.in, got)
				}
			case 1:
				if got := d.OptBool(); got != x.isTrue {
					t.Errorf("%s: boolean %t", x.in, got)
				}
			case 2:
				if got := d.OptInt(); got != x.number {
					t.Errorf("%s: number %d", x.in, got)
				}
			}
		}
		if d.Err() != nil || d.More() {
			t.Errorf("%s: %v", x.in, d.Err())
		}
	}
	for _, in := range []string{`tru`, `fals`, `"a`, `1.`, `nul`, `-`, ``, `]`} {
		d := jsonx.NewDecoder([]byte(in))
		if s, b, n := d.OptStr(), d.OptBool(), d.OptInt(); s != "" || b || n != 0 || d.Err() == nil {
			t.Errorf("%s: %q, %t, %d, %v", in, s, b, n, d.Err())
		}
	}
	if d := jsonx.NewDecoder([]byte(`true`)); !d.Bool() || d.Err() != nil {
		t.Error("true is no boolean")
	}
	if d := jsonx.NewDecoder([]byte(`tru]`)); d.OptBool() || d.Err() == nil {
		t.Error("tru is true")
	}
}

func TestValuesOfOneTextFollowEachOther(t *testing.T) {
	for in, want := range map[string][]string{
		``: nil, " \t\r\n": nil, `{"a":1}{"b":2}`: {`{"a":1}`, `{"b":2}`}, "1 2\n3": {"1", "2", "3"}, `[]"a"null`: {"[]", `"a"`, "null"},
	} {
		d := jsonx.NewDecoder([]byte(in))
		var got []string
		last := 0
		for d.More() {
			from := d.Next()
			v := d.Raw()
			if from < last || d.Offset() != from+len(v) || string(d.Slice(from)) != string(v) {
				t.Errorf("%q: %s at %d, then %d", in, v, from, d.Offset())
			}
			last = d.Offset()
			got = append(got, string(v))
		}
		if !slices.Equal(got, want) || d.Err() != nil {
			t.Errorf("%q: %q, %v", in, got, d.Err())
		}
	}
	d := jsonx.NewDecoder([]byte(`{"a":1} rubbish`))
	if d.Skip(); !d.More() {
		t.Error("rubbish is not more")
	}
	if d.Skip(); d.Err() == nil || d.More() {
		t.Error("rubbish was read")
	}
}

func TestPlacesAreThoseOfTheText(t *testing.T) {
	const in = ` { "a" : [ 1 , {"b" : "c"} ] } `
	d := jsonx.NewDecoder([]byte(in))
	start := d.Next()
	var got []string
	for range d.Members() {
		at := d.Next()
		for range d.Elements() {
			from := d.Next()
			d.Skip()
			got = append(got, string(d.Slice(from)))
		}
		got = append(got, string(d.Slice(at)))
	}
	got = append(got, string(d.Slice(start)))
	if want := []string{"1", `{"b" : "c"}`, `[ 1 , {"b" : "c"} ]`, strings.TrimSpace(in)}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if s := d.Slice(len(in) + 5); s != nil {
		t.Errorf("a slice of nothing: %q", s)
	}
}

// What a Decoder returns can be appended to without harm to the text.
func TestReturnedBytesEndWhereTheValueEnds(t *testing.T) {
	text := []byte(`[{"a":1},"b"]`)
	d := jsonx.NewDecoder(text)
	for range d.Elements() {
		from := d.Next()
		v := d.Raw()
		_ = append(v, "!!!"...)
		_ = append(d.Slice(from), "!!!"...)
	}
	if string(text) != `[{"a":1},"b"]` {
		t.Errorf("%s", text)
	}
}

func TestDamageIsReplacedAndCounted(t *testing.T) {
	d := jsonx.NewDecoder([]byte(`{"a\ud83d":"\ud83d","b":{"c":["\ude00","` + "\xff\xfe" + `"]},"d":"\ud83d\ude00","e":"\ud83d"}`))
	var got []string
	for name := range d.Members() {
		switch string(name) {
		case "b":
			got = append(got, string(d.CleanRaw()))
		case "e":
			d.Skip()
		default:
			got = append(got, string(name)+d.Str())
		}
	}
	if want := []string{"a\uFFFD\uFFFD", "{\"c\":[\"\uFFFD\",\"\uFFFD\uFFFD\"]}", "d😀"}; !slices.Equal(got, want) || d.Damaged() != 5 {
		t.Errorf("%q, %d damaged", got, d.Damaged())
	}
}

func TestWhetherALiteralHasEscapesIsTold(t *testing.T) {
	for in, want := range map[string]bool{`"a"`: false, `""`: false, `"é"`: false, `"a\nb"`: true, `"12345678\n"`: true, `"\""`: true, `"\u00e9"`: true} {
		d := jsonx.NewDecoder([]byte(in))
		if d.Literal(); d.Escaped() != want || d.Err() != nil {
			t.Errorf("%s: %t, %v", in, d.Escaped(), d.Err())
		}
	}
}

func TestNestingIsBounded(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	var walk func(d *jsonx.Decoder)
	walk = func(d *jsonx.Decoder) {
		for range d.Elements() {
			walk(d)
		}
	}
	for n, want := range map[int]bool{1: true, 10_000: true, 10_001: false, 1_000_000: false} {
		raw := jsonx.NewDecoder(nested(n))
		raw.Skip()
		walked := jsonx.NewDecoder(nested(n))
		walk(walked)
		if (raw.Err() == nil) != want || (walked.Err() == nil) != want || jsonx.Raw(nested(n)).Valid() != want {
			t.Errorf("%d levels: %v, %v", n, raw.Err(), walked.Err())
		}
	}
}

func TestKindsHaveNames(t *testing.T) {
	for k, want := range map[jsonx.Kind]string{
		jsonx.End: "end of value", jsonx.Null: "null", jsonx.True: "boolean", jsonx.False: "boolean", jsonx.String: "string", jsonx.Number: "number", jsonx.Object: "object", jsonx.Array: "array",
	} {
		if got := k.String(); got != want {
			t.Errorf("%q is %q", byte(k), got)
		}
	}
	for in, want := range map[string]jsonx.Kind{
		"": jsonx.End, " \n": jsonx.End, " {": jsonx.Object, "[": jsonx.Array, `"`: jsonx.String, "-1": jsonx.Number, "7": jsonx.Number, "true": jsonx.True, "false": jsonx.False, "null": jsonx.Null,
	} {
		if got := jsonx.Raw(in).Kind(); got != want {
			t.Errorf("%q is %v", in, got)
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	text := []byte(`{"type":"text","text":"a\nb","list":[1,true,null,{"x":"y"}],"n":12}`)
	var d jsonx.Decoder
	allocs := testing.AllocsPerRun(100, func() {
		d.Reset(text)
		for name := range d.Members() {
			switch string(name) {
			case "text":
				d.Literal()
			case "list":
				for range d.Elements() {
					d.Raw()
				}
			case "n":
				d.OptInt()
			}
		}
	})
	if allocs > 0 || d.Err() != nil {
		t.Errorf("%v allocations, %v", allocs, d.Err())
	}
}

// A Decoder that is used again keeps short strings; they are those of the text
// all the same, whatever the text's memory holds afterwards.
func TestStringsAreTheirOwnWhenADecoderIsUsedAgain(t *testing.T) {
	var d jsonx.Decoder
	var got, want []string
	text := make([]byte, 0, 100)
	for n := range 2000 {
		s := fmt.Sprintf("a%db", n%700)
		lit := jsonx.AppendQuote(nil, s)
		switch n % 3 {
		case 1:
			s, lit = "a\n"+s, append([]byte(`"a\n`), lit[1:]...)
		case 2:
			s, lit = `a\n`+s, append([]byte(`"a\\n`), lit[1:]...)
		}
		text = append(text[:0], lit...)
		d.Reset(text)
		got, want = append(got, d.Str()), append(want, s)
	}
	if !slices.Equal(got, want) {
		t.Error("strings were mixed up")
	}
	for _, empty := range []string{`""`, `"\""`, `"\\"`, `"ÿ"`} {
		d.Reset([]byte(empty))
		if got := d.Str(); jsonx.Unquote([]byte(empty)) != got {
			t.Errorf("%s reads as %q", empty, got)
		}
	}
}

// read returns what a walk over a text meets.
func read(d *jsonx.Decoder) (met []string) {
	var walk func()
	walk = func() {
		switch d.Kind() {
		case jsonx.Object:
			for name := range d.Members() {
				if met = append(met, "."+string(name)); string(name) == "left" {
					continue
				}
				walk()
			}
		case jsonx.Array:
			for range d.Elements() {
				walk()
			}
		default:
			met = append(met, string(d.Raw()), fmt.Sprint(d.Escaped()))
		}
	}
	walk()
	return append(met, fmt.Sprint(d.Err()), fmt.Sprint(d.Offset()))
}

// What a first reading learned of the longest value changes nothing of what a
// second one reads, and cannot lead it out of a text that is another by then.
func TestAKnownPlaceChangesNothing(t *testing.T) {
	long := strings.Repeat(`é\n😀 `, 40)
	for name, text := range map[string]string{
		"a string":            `{"a":1,"b":"` + long + `","c":[2]}`,
		"two strings":         `{"a":"` + long + `","b":"` + long + long + `"}`,
		"an object passed by": `{"left":{"x":"` + long + `"},"b":"` + long[:60] + `"}`,
		"a list within":       `[[["` + long + `"]],{"c":"` + long + `x"}]`,
		"a number":            `[` + strings.Repeat("1", 100) + `]`,
		"short":               `{"a":"b"}`,
		"no value":            strings.Repeat(" ", 100) + `,`,
	} {
		t.Run(name, func(t *testing.T) {
			var d jsonx.Decoder
			d.Reset([]byte(text))
			want := read(&d)
			known := d.Longest()
			d.ResetKnown([]byte(text), known)
			if got := read(&d); !slices.Equal(got, want) {
				t.Errorf("-first +second\n%q\n%q", want, got)
			}
			for n := range text {
				d.ResetKnown([]byte(text[:n]), known)
				read(&d)
				d.ResetKnown([]byte(text[n:]), known)
				read(&d)
			}
		})
	}
}

func TestTimesAreReadIfTheyAreTimes(t *testing.T) {
	const want = "2026-11-30T10:20:30.123Z"
	for text, ok := range map[string]bool{
		`"2026-11-30T10:20:30.123Z"`: true, `"\u0032026-11-30T10:20:30.123Z"`: true, `"2026-11-30T11:20:30.123+01:00"`: true,
		`""`: false, `"x"`: false, `"2026-11-30"`: false, `"2026-13-30T10:20:30Z"`: false, `"9999-12-31T23:59:59-23:59"`: false, `"0000-12-31T00:00:00Z"`: false, `1`: false, `null`: false, `{"a":1}`: false,
	} {
		d := jsonx.NewDecoder([]byte(text))
		got := d.OptTime()
		if d.Err() != nil || d.More() || ok && got.UTC().Format(time.RFC3339Nano) != want || !ok && !got.IsZero() {
			t.Errorf("%s reads as %v, %v", text, got, d.Err())
		}
	}
}
