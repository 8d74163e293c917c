package scripted

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

var errTooLong = errors.New("too long")

// readBody returns the decoded body. Encodings are told by the header or, without
// one, by their magic bytes: some clients compress and do not say so.
func readBody(r *http.Request, limit int64) ([]byte, *apiError) {
	raw, err := readAll(r.Body, limit)
	if err != nil {
		return nil, bodyError(err, limit)
	}
	encodings := strings.FieldsFunc(strings.Join(r.Header.Values("Content-Encoding"), ","), func(c rune) bool { return c == ',' || c == ' ' })
	if len(encodings) == 0 {
		encodings = sniff(raw)
	}
	body := raw
	for _, name := range slices.Backward(encodings) {
		switch strings.ToLower(name) {
		case "identity":
		case "gzip", "x-gzip":
			body, err = gunzip(body, limit)
		case "zstd":
			body, err = unzstd(body, limit)
		default:
			return raw, &apiError{status: http.StatusUnsupportedMediaType, message: fmt.Sprintf("content-encoding %q is not supported; use gzip or zstd", name)}
		}
		if err != nil {
			return raw, bodyError(err, limit)
		}
	}
	return body, nil
}

func sniff(raw []byte) []string {
	switch {
	case bytes.HasPrefix(raw, []byte{0x1f, 0x8b}):
		return []string{"gzip"}
	case bytes.HasPrefix(raw, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return []string{"zstd"}
	default:
		return nil
	}
}

func bodyError(err error, limit int64) *apiError {
	if errors.Is(err, errTooLong) || errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return &apiError{status: http.StatusRequestEntityTooLarge, message: fmt.Sprintf("request body is longer than %d bytes", limit)}
	}
	return &apiError{status: http.StatusBadRequest, message: "read request body: " + err.Error()}
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = errTooLong
	}
	return body, err
}

func gunzip(body []byte, limit int64) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return readAll(r, limit)
}

func unzstd(body []byte, limit int64) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(uint64(limit), 8<<20)))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readAll(r, limit)
}
