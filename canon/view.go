package canon

import "unsafe"

// view returns b as a string without copying. Every caller owns b and never
// writes to it again: texts are read from buffers that belong to their record.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}
