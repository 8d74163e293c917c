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

	"github.com/crosswalk-agents/crosswalk/internal/fault"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
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
// be removed. The error for a target that has changed matches [ErrRefused]. An
// undo that was cut off is brought to its end by the next one.
func (d *Desk) Undo(ctx context.Context, id string, dry bool) (*UndoResult, error) {
	h, err := d.undoable(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := d.unchanged(h); err != nil {
		return nil, err
	}
	res := &UndoResult{Handoff: h.ID, Target: Endpoint{Agent: h.Target.Agent, ID: h.Target.ID, Path: h.Target.Path}, Removed: []string{}}
	for _, path := range []string{h.Target.Path, h.Side} {
		if _, err := os.Lstat(path); err == nil {
			res.Removed = append(res.Removed, path)
		}
	}
	if dry {
		res.Removed = append(res.Removed, emptied(h.Folders, res.Removed)...)
		return res, nil
	}
	if err := d.beginUndo(ctx, h); err != nil {
		return nil, err
	}
	if err := d.takeAway(ctx, h); err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	res.Removed = append(res.Removed, removeEmpty(h.Folders)...)
	fault.Point("folders-removed", h.Target.Path)
	return res, os.RemoveAll(d.handoffDir(h.ID))
}

// undoing is the name that the kept bytes have while a hand-over is undone. An
// undo that was cut off is known by it.
const undoing = "undoing.jsonl"

func (d *Desk) keptPath(h *Handoff, name string) string {
	return filepath.Join(d.handoffDir(h.ID), name)
}

// begun reports whether an undo of h was begun and not brought to its end.
func (d *Desk) begun(h *Handoff) bool {
	_, err := os.Lstat(d.keptPath(h, undoing))
	return err == nil
}

// beginUndo writes the undo down before anything is removed.
func (d *Desk) beginUndo(ctx context.Context, h *Handoff) error {
	if !d.begun(h) {
		if err := os.Rename(d.keptPath(h, keptTarget), d.keptPath(h, undoing)); err != nil {
			return fmt.Errorf("undo: %w", err)
		}
	}
	fault.Point("undo-begun", d.keptPath(h, undoing))
	if h.Undone {
		return nil
	}
	if err := d.record(ctx, kindUndo, mention{Handoff: h.ID}); err != nil {
		return errors.Join(fmt.Errorf("write the undo down: %w", err), d.endUndo(h))
	}
	return nil
}

// endUndo says that no undo of h is under way.
func (d *Desk) endUndo(h *Handoff) error {
	return os.Rename(d.keptPath(h, undoing), d.keptPath(h, keptTarget))
}

// takeAway removes the target and what was made beside it. If the target stays,
// so does the hand-over.
func (d *Desk) takeAway(ctx context.Context, h *Handoff) error {
	if err := os.Remove(h.Target.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, d.record(context.WithoutCancel(ctx), kindUndoFailed, mention{Handoff: h.ID}), d.endUndo(h))
	}
	fault.Point("target-removed", h.Target.Path)
	if h.Side == "" {
		return nil
	}
	if err := os.RemoveAll(h.Side); err != nil {
		return err
	}
	fault.Point("side-removed", h.Side)
	return nil
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
		case id == "":
			if _, err := os.Lstat(h.Target.Path); err == nil && !h.Undone || d.begun(h) {
				return h, nil
			}
		case h.ID == id || h.Target.ID == id || len(id) >= 6 && strings.HasPrefix(h.ID, id):
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
	case found[0].Undone && !d.begun(found[0]):
		return nil, fmt.Errorf("undo: hand-over %q was undone before", found[0].ID)
	}
	return found[0], nil
}

// unchanged returns an error unless the target is the file that was written.
func (d *Desk) unchanged(h *Handoff) error {
	e := &h.Target
	kept := keptTarget
	if d.begun(h) {
		kept = undoing
	}
	info, err := os.Stat(e.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && kept == undoing:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("undo: %q is gone already, or was never there because the hand-over was cut off", e.Path)
	case err != nil:
		return fmt.Errorf("undo: %w", err)
	case info.Size() != e.Size:
		return refusef("undo: %q has grown from %d to %d bytes since the hand-over, so it holds work that is nowhere else", e.Path, e.Size, info.Size())
	}
	same, err := sameFiles(e.Path, d.keptPath(h, kept))
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
	fa, err := osx.OpenLinked(a)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fa.Close()) }()
	fb, err := osx.OpenLinked(b)
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
