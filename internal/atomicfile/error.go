package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// What went wrong, to be asked with [errors.Is]. A name that is taken and a
// missing permission are [fs.ErrExist] and [fs.ErrPermission] as elsewhere.
var (
	ErrNoSpace  = errors.New("no space left")
	ErrTooLarge = errors.New("file size limit reached")
)

// Error says what could not be done to which file, and what to do about it.
type Error struct {
	Op   string // what was tried: "create", "replace", "write" …
	Path string // the file's final name
	Hint string // what to do next; may be empty
	Err  error
}

// Error gives the message, with the hint in parentheses.
func (e *Error) Error() string {
	msg := fmt.Sprintf("%s %q: %v", e.Op, e.Path, e.Err)
	if e.Hint != "" {
		msg += " (" + e.Hint + ")"
	}
	return msg
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error {
	return e.Err
}

// Is lets one question cover every system's word for a full disk and for a
// size limit.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrNoSpace:
		return osx.IsDiskFull(e.Err)
	case ErrTooLarge:
		return osx.IsTooLarge(e.Err)
	default:
		return false
	}
}

// newError names the file by its final name: the temporary one that a system
// error carries means nothing to a person.
func newError(op, path string, err error) *Error {
	err = bare(err)
	if info, serr := os.Lstat(path); serr == nil && info.IsDir() && errors.Is(err, fs.ErrExist) {
		err = folderError{}
	}
	return &Error{Op: op, Path: path, Hint: hint(path, err), Err: err}
}

// folderError says that a folder has the name of a file that was to be created.
type folderError struct{}

func (folderError) Error() string { return "a folder of this name exists" }

// Is makes it match [fs.ErrExist].
func (folderError) Is(target error) bool { return target == fs.ErrExist }

// bare takes the operation and the paths off a system error.
func bare(err error) error {
	switch e := err.(type) { //nolint:errorlint // only the outermost layer is taken off
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	case *os.SyscallError:
		return e.Err
	default:
		return err
	}
}

func hint(path string, err error) string {
	switch {
	case errors.Is(err, folderError{}):
		return "name a file in it, or choose another name"
	case errors.Is(err, fs.ErrExist):
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "the name is a symbolic link, which is not followed; choose another name"
		}
		return "choose another name, or move the existing file away"
	case errors.Is(err, osx.ErrSymlink):
		return "name the file it points to"
	}
	return osx.Remedy(err)
}
