package handoff

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// sideFiles are the files of a folder that was put beside a session: name in the
// folder, with slashes, to the digest of its content.
type sideFiles map[string]string

// sideList lists what is in the folder dir. What is neither a file nor a folder
// has no digest.
func sideList(dir string) (list sideFiles, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	list = make(sideFiles)
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			list[name] = ""
			return nil
		}
		list[name], err = digestOf(root, name)
		return err
	})
	return list, err
}

func digestOf(root *os.Root, name string) (sum string, err error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// keptSide returns what the hand-over h put beside its target; nothing if no list
// was kept.
func (d *Desk) keptSide(h *Handoff) (list sideFiles, err error) {
	text, err := osx.ReadFile(filepath.Join(d.handoffDir(h.ID), keptSide), maxKept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return nil, fmt.Errorf("read the list of side files: %w", err)
	}
	return list, nil
}

// sideUnchanged returns an error unless all that is in the side folder of h was
// put there by the hand-over.
func (d *Desk) sideUnchanged(h *Handoff) error {
	now, err := sideList(h.Side)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	then, err := d.keptSide(h)
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	for name, sum := range now {
		path := filepath.Join(h.Side, filepath.FromSlash(name))
		switch was, ok := then[name]; {
		case !ok:
			return refusef("undo: %q was added since the hand-over, so it may be nowhere else", path)
		case was != sum:
			return refusef("undo: %q has changed since the hand-over", path)
		}
	}
	return nil
}

// removeSide removes the files that the hand-over put into a side folder, and
// the folders that are empty then.
func (d *Desk) removeSide(h *Handoff) error {
	then, err := d.keptSide(h)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(h.Side)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var folders []string
	err = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			folders = append(folders, filepath.Join(h.Side, filepath.FromSlash(name)))
		}
		return err
	})
	for name := range then {
		if rm := root.Remove(name); !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	removeEmpty(folders)
	return errors.Join(err, root.Close())
}
