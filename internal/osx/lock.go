package osx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"
)

// ErrLocked says that another open file holds the lock.
var ErrLocked = errors.New("locked by another process")

// A waiter asks again after a random part of a delay that doubles between
// these bounds: the system calls that wait cannot be cancelled by a context.
const (
	shortestWait = 500 * time.Microsecond
	longestWait  = 20 * time.Millisecond
)

// FileLock is a lock held on a file that exists only to be locked.
type FileLock struct {
	file *os.File
}

// Lock creates the file at path if need be (0600) and waits until it holds
// the exclusive lock on it or ctx ends. The lock is advisory, belongs to this
// FileLock alone (a second Lock in the same process waits too) and ends with
// the process. The file stays when the lock is given back: removing it would
// let two holders in.
//
// When ctx ends first, the error matches both [ErrLocked] and the context's.
func Lock(ctx context.Context, path string) (*FileLock, error) {
	f, err := OpenLocked(ctx, path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return &FileLock{file: f}, nil
}

// Unlock gives the lock back.
func (l *FileLock) Unlock() error {
	return l.file.Close()
}

// OpenLocked opens path as [OpenNoFollow] does and waits for the exclusive
// lock on it. It makes sure that the file it locked is still the one of that
// name, so a file replaced or removed while waiting is opened anew. Closing
// the file gives the lock back.
func OpenLocked(ctx context.Context, path string, flag int, perm fs.FileMode) (*os.File, error) {
	for {
		f, err := OpenNoFollow(path, flag, perm)
		if err != nil {
			return nil, err
		}
		if err := LockFile(ctx, f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		same, err := isNamed(f, path)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if same {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
}

// isNamed tells whether path is at this moment the name of the open file f.
func isNamed(f *os.File, path string) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return os.SameFile(opened, named), nil
}

// LockFile waits until f holds the exclusive lock on its file or ctx ends.
// [UnlockFile] or closing f gives it back. When ctx ends first, the error
// matches both [ErrLocked] and the context's.
func LockFile(ctx context.Context, f *os.File) error {
	for wait := shortestWait; ; wait = min(2*wait, longestWait) {
		err := TryLockFile(f)
		if !errors.Is(err, ErrLocked) {
			return err
		}
		select {
		case <-ctx.Done():
			return &fs.PathError{Op: "lock", Path: f.Name(), Err: fmt.Errorf("%w: %w", ErrLocked, context.Cause(ctx))}
		case <-time.After(wait/2 + rand.N(wait)):
		}
	}
}

// TryLockFile takes the exclusive lock on f's file without waiting; the error
// matches [ErrLocked] when someone else holds it.
func TryLockFile(f *os.File) error {
	if err := control(f, tryLock); err != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}

// UnlockFile gives back the lock that f holds.
func UnlockFile(f *os.File) error {
	if err := control(f, unlock); err != nil {
		return &fs.PathError{Op: "unlock", Path: f.Name(), Err: err}
	}
	return nil
}

// control runs do on f's descriptor, which stays open meanwhile.
func control(f *os.File, do func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var done error
	if err := conn.Control(func(fd uintptr) { done = do(fd) }); err != nil {
		return err
	}
	return done
}
