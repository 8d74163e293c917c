package scripted

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TurnRef tells what answered a request: the index of a turn, or one of the
// negative constants.
type TurnRef int

const (
	NoTurn   TurnRef = -1 // not a generating request, or one with an unreadable body
	SideTurn TurnRef = -2 // "ok"
	DoneTurn TurnRef = -3 // "done": the script is over
)

// Request is one recorded request. Values of authentication headers and of ?key=
// are not in it.
type Request struct {
	Number  int // from 1
	T       time.Time
	Method  string
	URL     string      // as in the request line
	Headers [][2]string // sorted by name: net/http does not keep the order of the wire
	Turn    TurnRef
	Body    []byte // decoded; as received if that failed; nil if longer than Options.MaxBody
}

// Header returns the first value of a header, or "".
func (r *Request) Header(name string) string {
	for _, h := range r.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

func (s *Server) newRequest(r *http.Request) Request {
	rec := Request{T: s.opt.Now().UTC(), Method: r.Method, URL: redactURL(r.RequestURI)}
	if r.Host != "" {
		rec.Headers = append(rec.Headers, [2]string{"Host", r.Host})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		for _, value := range r.Header[name] {
			rec.Headers = append(rec.Headers, [2]string{name, redactHeader(name, value)})
		}
	}
	return rec
}

// appendJSON writes the record's file. The body is appended and not marshalled:
// encoding/json would compact it.
func (r *Request) appendJSON(b []byte) []byte {
	head := struct {
		T       time.Time   `json:"t"`
		Method  string      `json:"method"`
		URL     string      `json:"url"`
		Headers [][2]string `json:"headers"`
		Turn    any         `json:"turn,omitempty"`
	}{T: r.T, Method: r.Method, URL: r.URL, Headers: r.Headers}
	switch r.Turn {
	case NoTurn:
	case SideTurn:
		head.Turn = "side"
	case DoneTurn:
		head.Turn = "done"
	default:
		head.Turn = int(r.Turn)
	}
	b = append(b, encode(head)...)
	b = append(b[:len(b)-1], `,"body":`...)
	switch {
	case len(r.Body) == 0:
		b = append(b, "null"...)
	case json.Valid(r.Body):
		b = append(b, r.Body...)
	default:
		b = append(b, encode(string(r.Body))...)
	}
	return append(b, "}\n"...)
}

func (r *Request) fileName() string {
	path, _, _ := strings.Cut(r.URL, "?")
	return fmt.Sprintf("%03d-%.20s-%.100s.json", r.Number, safeName(r.Method), safeName(path))
}

// safeName keeps what a file name may hold on every system.
func safeName(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-'
	})
	return strings.Join(words, "_")
}

// save writes the record's file, if files are wanted.
func (s *Server) save(r Request) error {
	if s.opt.Record == "" {
		return nil
	}
	return writeFile(filepath.Join(s.opt.Record, r.fileName()), r.appendJSON(nil))
}

// writeFile puts a whole file in place, for readers that watch the folder.
func writeFile(path string, data []byte) error {
	part := filepath.Join(filepath.Dir(path), ".part-"+filepath.Base(path))
	if err := os.WriteFile(part, data, 0o600); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("write record: %w", err)
	}
	return nil
}

// lastRecord is the highest number among the records in dir.
func lastRecord(dir string) (int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("read record folder: %w", err)
	}
	last := 0
	for _, e := range entries {
		number, _, found := strings.Cut(e.Name(), "-")
		if n, err := strconv.Atoi(number); found && err == nil {
			last = max(last, n)
		}
	}
	return last, nil
}
