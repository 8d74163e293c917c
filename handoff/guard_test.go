package handoff

import (
	"reflect"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// members puts what into every text of v, and returns how many there are. Those
// called in not are left alone.
func members(v reflect.Value, name, what string, not []string) int {
	for _, n := range not {
		if name == n || strings.HasSuffix(name, "."+n) {
			return 0
		}
	}
	switch x := v.Addr().Interface().(type) {
	case *canon.Text:
		*x = canon.NewText(what)
		return 1
	case *canon.Raw:
		*x = canon.Raw(`{"member":["` + what + `"]}`)
		return 1
	case *[]canon.Member:
		*x = []canon.Member{{Name: "member", Value: canon.Raw(`"` + what + `"`)}}
		return 1
	case *[]canon.Text:
		*x = []canon.Text{canon.NewText("a"), canon.NewText(what)}
		return 1
	case *[]canon.Block:
		*x = []canon.Block{&canon.TextBlock{Text: canon.NewText(what)}}
		return 1
	}
	n := 0
	switch v.Kind() {
	case reflect.String:
		v.SetString(what)
		n++
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				n += members(v.Field(i), name+"."+f.Name, what, not)
			}
		}
	default: // numbers, times, and what is only reached by a pointer
	}
	return n
}

// texts returns every text in v, and in what it points to.
func texts(v reflect.Value, yield func(string)) {
	switch x := v.Interface().(type) {
	case canon.Text:
		yield(x.String())
		return
	case canon.Raw:
		yield(string(x))
		return
	}
	switch v.Kind() {
	case reflect.String:
		yield(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			texts(v.Elem(), yield)
		}
	case reflect.Slice:
		for i := range v.Len() {
			texts(v.Index(i), yield)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				texts(v.Field(i), yield)
			}
		}
	default:
	}
}

// A member that is added to a block or a header is looked at, or named here
// with those that are no text of a person, a program or a model: ids, names of
// kinds, what only its issuer can read, and the data of images.
func TestSecretsAreMaskedInEveryMember(t *testing.T) {
	const key = "ghp_u8jzPde0IgxLd6Gnc" + "fBAepfJBd0Kh8oOOL8d"
	not := []string{
		"BlockMeta.ItemID", "BlockMeta.Tag", "Dialect", "CallID", "ToolCallBlock.Name", "Namespace", "Call", "OpaqueBlock.Type", "Capsule",
		"MediaType", "Data",
	}
	for _, b := range []canon.Block{
		new(canon.TextBlock), new(canon.ImageBlock), new(canon.DocumentBlock), new(canon.ReasoningBlock), new(canon.ToolCallBlock),
		new(canon.ToolResultBlock), new(canon.CompactionBlock), new(canon.OpaqueBlock),
	} {
		v := reflect.ValueOf(b).Elem()
		t.Run(v.Type().Name(), func(t *testing.T) {
			planted := members(v, v.Type().Name(), "https://x/?q="+key, not)
			m := &canon.Message{Blocks: []canon.Block{b}, Ext: canon.Ext{Members: []canon.Member{{Name: "x", Value: canon.Raw(`"` + key + `"`)}}}}
			r := new(canon.Report)
			g, err := newGuard(&Options{Redact: true}, r)
			if err != nil {
				t.Fatal(err)
			}
			for got := range g.protect(func(yield func(*canon.Message, error) bool) { yield(m, nil) }) {
				texts(reflect.ValueOf(got), func(s string) {
					if strings.Contains(s, key) {
						t.Errorf("the key is in %q", s)
					}
				})
			}
			if len(r.Secrets) != planted+1 {
				t.Errorf("%d found, want %d", len(r.Secrets), planted+1)
			}
		})
	}
}

// What a header says beside names that must work on: ids, versions, models and
// the directory.
func TestSecretsAreMaskedInTheHeader(t *testing.T) {
	const key = "ghp_u8jzPde0IgxLd6Gnc" + "fBAepfJBd0Kh8oOOL8d"
	var thread canon.Thread
	planted := members(reflect.ValueOf(&thread).Elem(), "Thread", key,
		[]string{"ID", "Agent", "Dir", "Commit", "Dirty", "Model", "ClientVersion", "Origin", "ForkedFrom"})
	r := new(canon.Report)
	g, err := newGuard(&Options{Redact: true}, r)
	if err != nil {
		t.Fatal(err)
	}
	texts(reflect.ValueOf(g.thread(thread)), func(s string) {
		if strings.Contains(s, key) {
			t.Errorf("the key is in %q", s)
		}
	})
	if planted == 0 || len(r.Secrets) != planted {
		t.Errorf("%d found, want %d", len(r.Secrets), planted)
	}
}
