package atomicfile

// Patch overwrites the bytes at off, which must have been written, with p. It
// serves a header that tells what is known only at the end.
func (w *Writer) Patch(off int64, p []byte) error {
	if w.err != nil {
		return w.ended("write")
	}
	if err := w.buf.Flush(); err != nil {
		return w.fail("write", err)
	}
	if _, err := w.file.WriteAt(p, off); err != nil {
		return w.fail("write", err)
	}
	return nil
}

// Folders returns the folders that were made for the file, the outermost
// first.
func (w *Writer) Folders() []string { return w.made }
