package canon

import "unsafe"

// view returns b as a string without copying. Every caller owns b and never
// writes to it again: texts are read from buffers that belong to their record.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// View returns the text as it is held, without copying: decoded, or, if escaped
// is true, as the inside of a JSON string literal. It must not be modified.
func (t Text) View() (b []byte, escaped bool) {
	return unsafe.Slice(unsafe.StringData(t.body), len(t.body)), t.escaped
}
