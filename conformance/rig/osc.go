package rig

// An oscFilter removes operating system commands with text beyond ASCII, such
// as window titles, from a terminal's stream. The emulator takes the byte 0x9C
// inside a UTF-8 character for the end of the command and prints the rest.
type oscFilter struct {
	state oscState
	held  []byte // the command so far, from its escape on
	wide  bool   // the command has a byte beyond ASCII
}

type oscState int

const (
	oscOutside oscState = iota
	oscEscape           // after ESC
	oscInside           // after ESC ]
	oscEnding           // after ESC inside a command
)

const (
	bel = 0x07
	esc = 0x1b
)

// filter returns what of p to show now.
func (f *oscFilter) filter(p []byte) []byte {
	out := make([]byte, 0, len(p))
	for _, c := range p {
		switch f.state {
		case oscOutside:
			if c != esc {
				out = append(out, c)
				continue
			}
			f.state, f.held, f.wide = oscEscape, append(f.held[:0], c), false
		case oscEscape:
			f.held = append(f.held, c)
			switch c {
			case ']':
				f.state = oscInside
			case esc:
				out = append(out, esc)
				f.held = f.held[:1]
			default:
				out = f.release(out)
			}
		case oscInside:
			f.held = append(f.held, c)
			f.wide = f.wide || c >= 0x80
			switch c {
			case bel:
				out = f.release(out)
			case esc:
				f.state = oscEnding
			}
		case oscEnding:
			f.held = append(f.held, c)
			f.state = oscInside
			if c == '\\' {
				out = f.release(out)
			}
		}
	}
	return out
}

func (f *oscFilter) release(out []byte) []byte {
	if !f.wide {
		out = append(out, f.held...)
	}
	f.state, f.held = oscOutside, f.held[:0]
	return out
}
