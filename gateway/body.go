package gateway

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// maxRatio is how many times longer a body may be than its compressed form: text
// of agents shrinks to a tenth, a bomb to a thousandth.
const maxRatio = 200

// maxWindow is how far back a zstd body may refer, in bytes: more than clients'
// libraries do, and what a decoder holds in memory.
const maxWindow = 32 << 20

// maxEncodings is how many times over a body may be compressed.
const maxEncodings = 3

// errTooLong says that a body has more bytes than it may.
var errTooLong = errors.New("the body is too long")

var zstdMagic = []byte("\x28\xB5\x2F\xFD")

// readBody reads the body of a request, at most limit bytes once it is
// decompressed.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	raw, err := readAll(r.Body, limit, r.ContentLength)
	if errors.Is(err, errTooLong) {
		return nil, tooLarge(limit)
	} else if err != nil {
		return nil, err
	}
	encodings := strings.Split(r.Header.Get("Content-Encoding"), ",")
	if len(encodings) > maxEncodings {
		return nil, refuse(http.StatusUnsupportedMediaType, fmt.Sprintf("the body is encoded %d times: once is enough", len(encodings)))
	}
	r.Header.Del("Content-Encoding")
	for i := len(encodings) - 1; i >= 0; i-- {
		if raw, err = decompress(strings.ToLower(strings.TrimSpace(encodings[i])), raw, limit); err != nil {
			return nil, err
		}
	}
	if bytes.HasPrefix(raw, zstdMagic) { // one client forgets to say so
		return decompress("zstd", raw, limit)
	}
	return raw, nil
}

func decompress(encoding string, raw []byte, limit int64) (out []byte, err error) {
	var r io.Reader
	switch encoding {
	case "", "identity":
		return raw, nil
	case "gzip", "x-gzip":
		r, err = gzip.NewReader(bytes.NewReader(raw))
	case "deflate": // zlib by the standard, and plain by habit
		if r, err = zlib.NewReader(bytes.NewReader(raw)); err != nil {
			r, err = flate.NewReader(bytes.NewReader(raw)), nil
		}
	case "br":
		r = brotli.NewReader(bytes.NewReader(raw))
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err == nil {
			defer d.Close()
			r = d
		}
	default:
		return nil, refuse(http.StatusUnsupportedMediaType, fmt.Sprintf("the content encoding %q is not known: use zstd, gzip, br or deflate", encoding))
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the body is not "+encoding+": "+err.Error())
	}
	sane := int64(len(raw))*maxRatio + 64<<10
	out, err = readAll(r, min(limit, sane), 0)
	switch {
	case errors.Is(err, errTooLong) && limit <= sane:
		return nil, tooLarge(limit)
	case errors.Is(err, errTooLong), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return nil, refuse(http.StatusRequestEntityTooLarge, "the compressed body grows beyond measure")
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the body is not "+encoding+": "+err.Error())
	}
	return out, nil
}

// readAll reads at most limit bytes: more are errTooLong.
func readAll(r io.Reader, limit, size int64) ([]byte, error) {
	if size > limit {
		return nil, errTooLong
	}
	b := bytes.NewBuffer(make([]byte, 0, min(max(size, 512), 1<<20)+512)) // a size is only a claim
	n, err := io.Copy(b, io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	if n > limit {
		return nil, errTooLong
	}
	return b.Bytes(), nil
}

func tooLarge(limit int64) *canon.APIError {
	return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit))
}
