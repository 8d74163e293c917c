package main
import (
 _ "github.com/go-json-experiment/json/jsontext"
 _ "github.com/spf13/cobra"
 _ "charm.land/huh/v2"
 _ "charm.land/lipgloss/v2"
 _ "github.com/goccy/go-yaml"
 _ "github.com/klauspost/compress/zstd"
 _ "github.com/google/go-cmp/cmp"
 _ "github.com/rogpeppe/go-internal/testscript"
 _ "pgregory.net/rapid"
 _ "go.uber.org/goleak"
 _ "golang.org/x/sys/unix"
 _ "github.com/creack/pty"
 _ "golang.org/x/term"
)
func main(){}
