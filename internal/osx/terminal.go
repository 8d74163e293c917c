package osx

import (
	"context"
	"os"
)

// WaitReadable waits until a read from f would not block, or ctx ends, whose
// error it then returns: a question on a terminal can be left with Ctrl-C. Where
// the system cannot tell, it returns at once.
func WaitReadable(ctx context.Context, f *os.File) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if readable(f) {
			return nil
		}
	}
}

// Exec puts the program at path in the place of this one: its process, terminal
// and exit code. Where the system has no such thing it runs it as a child and
// exits with its code. It returns only if that fails.
func Exec(path string, argv, env []string) error { return execProgram(path, argv, env) }
