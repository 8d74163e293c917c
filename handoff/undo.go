package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// UndoResult tells what an undo removed.
type UndoResult struct {
	Handoff string   `json:"handoff"`
	Target  Endpoint `json:"target"`
	// Removed lists the file and the folders that are gone.
	Removed []string `json:"removed"`
}

// Undo removes the target of a hand-over, if nothing was added to it since. An
// empty id takes the newest that can be undone. With dry only says what would
// be removed. The error for a target that has changed matches [ErrRefused].
func (d *Desk) Undo(ctx context.Context, id string, dry bool) (*UndoResult, error) {
	h, err := d.undoable(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := d.unchanged(h); err != nil {
		return nil, err
	}
	res := &UndoResult{Handoff: h.ID, Target: Endpoint{Agent: h.Target.Agent, ID: h.Target.ID, Path: h.Target.Path}, Removed: []string{h.Target.Path}}
	if h.Side != "" {
		res.Removed = append(res.Removed, h.Side)
	}
	if dry {
		res.Removed = append(res.Removed, emptied(h.Folders, res.Removed)...)
		return res, nil
	}
	if err := os.Remove(h.Target.Path); err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	if h.Side != "" {
		if err := os.RemoveAll(h.Side); err != nil {
			return nil, fmt.Errorf("undo: %w", err)
		}
	}
	res.Removed = append(res.Removed, removeEmpty(h.Folders)...)
	j, err := d.ledger()
	if err != nil {
		return nil, err
	}
	if err := j.Append(ctx, kindUndo, undone{Handoff: h.ID}); err != nil {
		return nil, fmt.Errorf("write the undo down: %w", err)
	}
	return res, os.RemoveAll(d.handoffDir(h.ID))
}

// removeEmpty removes the folders, innermost first, and returns which are gone:
// one that holds something else by now stays.
func removeEmpty(folders []string) (gone []string) {
	for i := len(folders) - 1; i >= 0; i-- {
		if os.Remove(folders[i]) == nil {
			gone = append(gone, folders[i])
		}
	}
	return gone
}

// emptied returns which of the folders will hold nothing once the paths gone
// are, innermost first.
func emptied(folders, gone []string) (empty []string) {
	for i := len(folders) - 1; i >= 0; i-- {
		entries, err := os.ReadDir(folders[i])
		if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
			path := filepath.Join(folders[i], e.Name())
			return !slices.Contains(gone, path) && !slices.Contains(empty, path)
		}) {
			continue
		}
		empty = append(empty, folders[i])
	}
	return empty
}

// undoable finds the hand-over that id names: its own id, the beginning of it,
// or the id of its target.
func (d *Desk) undoable(ctx context.Context, id string) (*Handoff, error) {
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	var found []*Handoff
	for i := len(all) - 1; i >= 0; i-- {
		h := all[i]
		switch {
		case id == "" && !h.Undone:
			if _, err := os.Lstat(h.Target.Path); err == nil {
				return h, nil
			}
		case id != "" && (h.ID == id || h.Target.ID == id || len(id) >= 6 && strings.HasPrefix(h.ID, id)):
			found = append(found, h)
		}
	}
	switch {
	case id == "":
		return nil, errors.New("undo: there is no hand-over to undo")
	case len(found) == 0:
		return nil, fmt.Errorf("undo: no hand-over is called %q", id)
	case len(found) > 1 && found[0].ID != id && found[0].Target.ID != id:
		return nil, fmt.Errorf("undo: %d hand-overs fit %q", len(found), id)
	case found[0].Undone:
		return nil, fmt.Errorf("undo: hand-over %q was undone before", found[0].ID)
	}
	return found[0], nil
}

// unchanged returns an error unless the target is the file that was written.
func (d *Desk) unchanged(h *Handoff) error {
	e := &h.Target
	info, err := os.Stat(e.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("undo: %q is gone already", e.Path)
	case err != nil:
		return fmt.Errorf("undo: %w", err)
	case info.Size() != e.Size:
		return refusef("undo: %q has grown from %d to %d bytes since the hand-over, so it holds work that is nowhere else", e.Path, e.Size, info.Size())
	}
	same, err := sameFiles(e.Path, filepath.Join(d.handoffDir(h.ID), keptTarget))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refusef("undo: what was written to %q was not kept, so nothing tells whether it is unchanged; remove it by hand", e.Path)
	case err != nil:
		return fmt.Errorf("undo: %w", err)
	case !same:
		return refusef("undo: %q has changed since the hand-over", e.Path)
	}
	return nil
}

// sameFiles reports whether two files hold the same bytes.
func sameFiles(a, b string) (same bool, err error) {
	fa, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fa.Close()) }()
	fb, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fb.Close()) }()
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(fa, bufA)
		m, errB := io.ReadFull(fb, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		switch {
		case errA == nil && errB == nil:
		case isEnd(errA) && isEnd(errB):
			return true, nil
		default:
			return false, errors.Join(errA, errB)
		}
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
