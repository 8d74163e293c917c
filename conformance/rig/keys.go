package rig

import "github.com/charmbracelet/x/vt"

// A Key is a key press, as [Terminal.Press] takes it.
type Key = vt.KeyPressEvent

// Keys that have a name.
var (
	Enter    = Key{Code: vt.KeyEnter}
	Escape   = Key{Code: vt.KeyEscape}
	Tab      = Key{Code: vt.KeyTab}
	Up       = Key{Code: vt.KeyUp}
	Down     = Key{Code: vt.KeyDown}
	PageDown = Key{Code: vt.KeyPgDown}
	Home     = Key{Code: vt.KeyHome}
	End      = Key{Code: vt.KeyEnd}
)

// Ctrl is a letter pressed with Ctrl: Ctrl('c').
func Ctrl(letter rune) Key { return Key{Code: letter, Mod: vt.ModCtrl} }
