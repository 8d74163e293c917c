package jsonl

import "io"

// FromReaderAt returns a file whose content comes from r as r pleases.
func FromReaderAt(r io.ReaderAt, size int64) *File {
	return &File{path: "reader", src: r, size: size}
}

// Chunk is how much is read at once.
const Chunk = chunk
