package rig

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/internal/scripted"
)

// A Turn is one answer of the scripted model, a Tool one call in it. In every
// string, $WORK stands for the work folder.
type (
	Turn = scripted.Turn
	Tool = scripted.Tool
)

// Args is a short name for the arguments of a call.
type Args = map[string]any

// Call returns a function call. It panics when args is no JSON value.
func Call(name string, args any) Tool {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", name, err))
	}
	return Tool{Name: name, Args: raw}
}

// Custom returns a call whose input is free text (Responses). Namespace may be
// empty.
func Custom(namespace, name, input string) Tool {
	return Tool{Namespace: namespace, Name: name, Input: &input}
}

// recordDir is where, in a run's folder, the upstream writes what it was asked.
const recordDir = "requests"

// A Request is what a client sent to the scripted model.
type Request struct {
	// Name is the recording's name: number, method and path.
	Name    string          `json:"-"`
	Time    string          `json:"t"`
	Method  string          `json:"method"`
	URL     string          `json:"url"`
	Headers [][2]string     `json:"headers"`
	Turn    json.RawMessage `json:"turn"`
	Body    json.RawMessage `json:"body"`
}

// Header returns the first value of a header, whatever the case of its name.
func (r Request) Header(name string) string {
	for _, h := range r.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// IsModel reports whether the request asked the model to answer.
func (r Request) IsModel() bool {
	path, _, _ := strings.Cut(r.URL, "?")
	return r.Method == "POST" && (strings.HasSuffix(path, "/messages") || strings.HasSuffix(path, "/responses") ||
		strings.HasSuffix(path, "/chat/completions") || strings.HasSuffix(path, "enerateContent"))
}

func readRequests(dir string) ([]Request, error) {
	names, err := requestNames(dir)
	if err != nil {
		return nil, err
	}
	var list []Request
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		r := Request{Name: strings.TrimSuffix(name, ".json")}
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("read recording %q: %w", name, err)
		}
		list = append(list, r)
	}
	return list, nil
}

func requestNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
