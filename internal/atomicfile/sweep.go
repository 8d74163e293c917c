package atomicfile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// A temporary file is ".crosswalk-<16 hex digits>.tmp". The dot and the
// ending keep it out of every agent's listing of sessions.
const (
	tempPrefix = ".crosswalk-"
	tempSuffix = ".tmp"
	tempDigits = 16
)

func newTempName() string {
	var random [tempDigits / 2]byte
	rand.Read(random[:]) // never fails: it ends the process first
	return tempPrefix + hex.EncodeToString(random[:]) + tempSuffix
}

func isTempName(name string) bool {
	digits, hasPrefix := strings.CutPrefix(name, tempPrefix)
	digits, hasSuffix := strings.CutSuffix(digits, tempSuffix)
	_, err := hex.DecodeString(digits)
	return hasPrefix && hasSuffix && len(digits) == tempDigits && err == nil
}

// Sweep removes from dir, not from folders below it, the temporary files that
// killed processes left there, if nothing was written to them for the time
// olderThan, and returns their paths. One whose writer still runs is left
// alone at any age. A missing dir holds none. What could not be removed is in
// the joined error; the rest is removed all the same.
func Sweep(dir string, olderThan time.Duration) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, newError("sweep", dir, err)
	}
	cutoff := time.Now().Add(-olderThan)
	var removed []string
	var failed []error
	for _, entry := range entries {
		if !isTempName(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		done, err := sweepOne(path, cutoff)
		if err != nil {
			failed = append(failed, newError("sweep", path, err))
		}
		if done {
			removed = append(removed, path)
		}
	}
	return removed, errors.Join(failed...)
}

// sweepOne removes the file at path if it is old and has no writer, and tells
// whether it did.
func sweepOne(path string, cutoff time.Time) (bool, error) {
	f, err := osx.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info, err := f.Stat()
	old := err == nil && info.ModTime().Before(cutoff)
	// A file system without locks cannot tell: then age alone decides.
	orphan := old && !errors.Is(osx.TryLockFile(f), osx.ErrLocked)
	if err := errors.Join(err, f.Close()); err != nil || !orphan {
		return false, err
	}
	if err := os.Remove(path); err != nil {
		return false, err
	}
	return true, nil
}
