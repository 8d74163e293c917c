package claude

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/fault"
)

// copySide copies the folder of files that belong to a session: subagents and
// large tool outputs. Only regular files and folders are copied. It returns nil
// if there is none.
func copySide(from, to string) (side *atomicfile.Folder, err error) {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	// What cannot be swept now is swept some other time.
	_ = atomicfile.SweepFolders(filepath.Dir(to), atomicfile.LeftoverAge, hasSession)
	if side, err = atomicfile.CreateFolder(to); err != nil {
		return nil, err
	}
	if err := copyFolder(root, to); err != nil {
		return nil, errors.Join(fmt.Errorf("copy %q: %w", from, err), side.Abort())
	}
	fault.Point("side-copied", to)
	return side, nil
}

// hasSession reports whether there is the session that a side folder goes with.
func hasSession(side string) bool {
	_, err := os.Lstat(side + ".jsonl")
	return err == nil
}

func copyFolder(root *os.Root, to string) error {
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".", atomicfile.IsLeftover(e.Name()):
			return nil
		case e.IsDir():
			return os.Mkdir(filepath.Join(to, filepath.FromSlash(name)), 0o700)
		case e.Type().IsRegular():
			return copyRegular(root, name, filepath.Join(to, filepath.FromSlash(name)))
		}
		return nil
	})
}

// copyRegular copies a file as long as it is now: its client may be adding to it.
func copyRegular(root *os.Root, name, to string) (err error) {
	in, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	info, err := in.Stat()
	if err == nil {
		_, err = io.Copy(out, io.LimitReader(in, info.Size()))
	}
	return errors.Join(err, out.Close())
}
