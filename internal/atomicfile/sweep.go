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

// LeftoverAge is how old a temporary file has to be to count as left over: one
// that was made a moment ago is about to be locked by its writer. Where there
// are no locks age alone must do, and a person may take their time to answer
// what a writer waits for.
const (
	LeftoverAge = time.Minute
	unlockedAge = 24 * time.Hour
)

// Sweep removes from dir, not from folders below it, the temporary files and the
// empty folders that killed processes left there, if nothing was written to them
// for the time olderThan, or a day where the file system has no locks. It returns
// the paths of the files. One whose writer still runs is left alone at any age.
// [Create] and [Replace] sweep the folder that they write to, with [LeftoverAge].
// A missing dir holds none. What could not be removed is in the joined error; the
// rest is removed all the same.
func Sweep(dir string, olderThan time.Duration) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, newError("sweep", dir, err)
	}
	var removed []string
	var failed []error
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if isTempName(entry.Name()) && entry.IsDir() {
			sweepEmpty(path, olderThan)
		}
		if !isTempName(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		done, err := sweepOne(path, olderThan)
		if err != nil {
			failed = append(failed, newError("sweep", path, err))
		}
		if done {
			removed = append(removed, path)
		}
	}
	return removed, errors.Join(failed...)
}

// sweepEmpty removes a folder that was to be made, see [CreateFolder], and is
// empty yet.
func sweepEmpty(path string, olderThan time.Duration) {
	if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > olderThan {
		_ = os.Remove(path) // fails for one that is not empty
	}
}

// sweepOne removes the file at path if it is old and has no writer, and tells
// whether it did.
func sweepOne(path string, olderThan time.Duration) (bool, error) {
	f, err := osx.OpenRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	info, err := f.Stat()
	orphan := err == nil && isOrphan(f, time.Since(info.ModTime()), olderThan)
	if err := errors.Join(err, f.Close()); err != nil || !orphan {
		return false, err
	}
	if err := os.Remove(path); err != nil {
		return false, err
	}
	return true, nil
}

// isOrphan reports whether f, a file of that age, has no writer.
func isOrphan(f *os.File, age, olderThan time.Duration) bool {
	if age <= olderThan {
		return false
	}
	err := osx.TryLockFile(f)
	return err == nil || !errors.Is(err, osx.ErrLocked) && age > max(olderThan, unlockedAge)
}
