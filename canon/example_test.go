package canon_test

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// The same text in two escapings is one text, and has one digest.
func ExampleDigester() {
	plain, _ := canon.LiteralText([]byte(`"caf\u00e9"`))
	escaped, _ := canon.LiteralText([]byte(`"café"`))
	m := &canon.Message{Role: canon.User}

	var d canon.Digester
	a := d.Block(m, &canon.TextBlock{Text: plain})
	b := d.Block(m, &canon.TextBlock{Text: escaped})
	fmt.Println(a == b, plain.Equal(escaped))
	// Output: true true
}

// A report balances when everything that was read was written or counted.
func ExampleReport() {
	m := &canon.Message{Role: canon.User, Blocks: []canon.Block{
		&canon.TextBlock{Text: canon.NewText("hello")},
		&canon.ReasoningBlock{Redacted: true},
	}}
	var r canon.Report
	r.Ingest(m)
	r.DropBlock(m, m.Blocks[1], "reasoning belongs to the vendor that issued it")
	m.Blocks = m.Blocks[:1]
	r.Emit(m)
	fmt.Println(r.Balance(), r.Dropped)
	// Output: <nil> map[reasoning-redacted:1]
}
