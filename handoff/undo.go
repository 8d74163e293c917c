package handoff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/fault"
	"github.com/crosswalk-agents/crosswalk/internal/jsonl"
)

// UndoResult tells what an undo removed.
type UndoResult struct {
	Handoff string   `json:"handoff"`
	Target  Endpoint `json:"target"`
	// Removed lists the file and the folders that are gone.
	Removed []string `json:"removed"`
}

// Undo removes the target of a hand-over, wherever its client has it now, if
// nothing was added to it since but what pulls have brought back. An empty id
// takes the newest of dir that can be undone, or of any directory if dir is empty,
// too. With dry it only says what would be removed. The error for a target that
// has changed matches [ErrRefused]. An undo that was cut off is brought to its end
// by the next one.
func (d *Desk) Undo(ctx context.Context, id, dir string, dry bool) (*UndoResult, error) {
	h, err := d.undoable(ctx, id, dir)
	if err != nil {
		return nil, err
	}
	path, err := d.undoablePath(ctx, h)
	if err != nil {
		return nil, err
	}
	res := &UndoResult{Handoff: h.ID, Target: Endpoint{Agent: h.Target.Agent, ID: h.Target.ID, Path: path}, Removed: []string{}}
	for _, path := range []string{path, h.Side} {
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
	if err := d.takeAway(ctx, h, path); err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	res.Removed = append(res.Removed, removeEmpty(h.Folders)...)
	fault.Point("folders-removed", path)
	return res, os.RemoveAll(d.handoffDir(h.ID))
}

// undoablePath returns where the target of h is, if it and what was put beside it
// may go.
func (d *Desk) undoablePath(ctx context.Context, h *Handoff) (string, error) {
	path, err := d.locate(ctx, &h.Target)
	switch {
	case err != nil:
		return "", err
	case path == "" && d.begun(h):
		path = h.Target.Path
	case path == "":
		return "", fmt.Errorf("undo: %q is gone already, or was never there because the hand-over was cut off", h.Target.Path)
	default:
		if err := d.unchanged(ctx, h, path); err != nil {
			return "", err
		}
		if err := errors.Join(d.elsewhere(ctx, h, path), d.needed(ctx, h, path)); err != nil {
			return "", err
		}
	}
	if h.Side == "" {
		return path, nil
	}
	return path, d.sideUnchanged(h)
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
		err := os.Rename(d.keptPath(h, keptTarget), d.keptPath(h, undoing))
		if errors.Is(err, fs.ErrNotExist) { // they went with a pull
			err = atomicfile.ReplaceFile(d.keptPath(h, undoing), nil, 0o600)
		}
		if err != nil {
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
	if isEmpty(d.keptPath(h, undoing)) {
		return os.Remove(d.keptPath(h, undoing))
	}
	return os.Rename(d.keptPath(h, undoing), d.keptPath(h, keptTarget))
}

// takeAway removes the target and what was made beside it. If the target stays,
// so does the hand-over.
func (d *Desk) takeAway(ctx context.Context, h *Handoff, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, d.record(context.WithoutCancel(ctx), kindUndoFailed, mention{Handoff: h.ID}), d.endUndo(h))
	}
	fault.Point("target-removed", path)
	if h.Side == "" {
		return nil
	}
	if err := d.removeSide(h); err != nil {
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
func (d *Desk) undoable(ctx context.Context, id, dir string) (*Handoff, error) {
	all, err := d.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return d.newestUndoable(ctx, all, dir)
	}
	var found []*Handoff
	for i := len(all) - 1; i >= 0; i-- {
		h := all[i]
		if h.ID == id || h.Target.ID == id || len(id) >= 6 && strings.HasPrefix(h.ID, id) {
			found = append(found, h)
		}
	}
	switch {
	case len(found) == 0:
		return nil, &UnclearUndoError{ID: id, Matches: likely(all, id)}
	case len(found) > 1 && found[0].ID != id && found[0].Target.ID != id:
		return nil, &UnclearUndoError{ID: id, Fits: len(found), Matches: found}
	case found[0].Undone && !d.begun(found[0]):
		return nil, fmt.Errorf("undo: hand-over %q was undone before", found[0].ID)
	}
	return found[0], nil
}

// likely returns the hand-overs that may be meant by what names none, the newest
// first: those that wrote a session whose id begins so, or were made of one.
func likely(all []*Handoff, id string) (found []*Handoff) {
	for i := len(all) - 1; i >= 0; i-- {
		h := all[i]
		if !h.Undone && len(id) >= MinPrefix && (strings.HasPrefix(h.Target.ID, id) || strings.HasPrefix(h.Source.ID, id)) {
			found = append(found, h)
		}
	}
	return found
}

// UnclearUndoError says that an id names no hand-over, or several.
type UnclearUndoError struct {
	ID string
	// Fits is how many hand-overs the id names.
	Fits int
	// Matches are those, or if there are none such as may be meant; the newest
	// first.
	Matches []*Handoff
}

func (e *UnclearUndoError) Error() string {
	if e.Fits == 0 {
		return fmt.Sprintf("undo: no hand-over is called %q", e.ID)
	}
	return fmt.Sprintf("undo: %d hand-overs fit %q", e.Fits, e.ID)
}

// newestUndoable returns the newest hand-over of dir that can be undone, or of
// any directory.
func (d *Desk) newestUndoable(ctx context.Context, all []*Handoff, dir string) (*Handoff, error) {
	elsewhere := false
	real := make(realDirs)
	for i := len(all) - 1; i >= 0; i-- {
		h := all[i]
		if !d.begun(h) {
			if h.Undone {
				continue
			}
			path, err := d.locate(ctx, &h.Target)
			if err != nil {
				return nil, err
			}
			if path == "" {
				continue
			}
		}
		if dir == "" || real.of(h.Dir) == dir || h.From != "" && real.of(h.From) == dir {
			return h, nil
		}
		elsewhere = true
	}
	if dir == "" {
		return nil, errors.New("undo: there is no hand-over to undo")
	}
	return nil, &NoUndoError{Dir: dir, Elsewhere: elsewhere}
}

// NoUndoError says that a directory has no hand-over to undo.
type NoUndoError struct {
	Dir string
	// Elsewhere says that another directory has one.
	Elsewhere bool
}

func (e *NoUndoError) Error() string {
	return fmt.Sprintf("undo: there is no hand-over of %s to undo", e.Dir)
}

// stem is the name of a file, packed or not.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), ".zst") }

// unchanged returns an error unless the file at path, the target of h, holds
// what was written, packed or not, and nothing that anybody said since: what a
// client notes when it only opens a session may follow.
func (d *Desk) unchanged(ctx context.Context, h *Handoff, path string) error {
	// The thread may go on in a file of its own that needs this one.
	if now, err := d.entry(ctx, h.Target.Agent, h.Target.ID); err != nil {
		return err
	} else if now != nil && stem(now.Path) != stem(path) {
		return &GrownError{Path: now.Path}
	}
	name := keptTarget
	if d.begun(h) {
		name = undoing
	}
	same, kept := false, !isEmpty(d.keptPath(h, name))
	if kept {
		var err error
		same, err = beginsWith(ctx, path, d.keptPath(h, name))
		kept = !errors.Is(err, fs.ErrNotExist)
		if err != nil && kept {
			return fmt.Errorf("undo: %w", err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	if same && path == h.Target.Path && info.Size() == h.Target.Size {
		return nil
	}
	holds, more, err := d.compareTarget(ctx, h, path)
	switch {
	case err != nil:
		return fmt.Errorf("undo: %w", err)
	case more || same && !holds:
		return d.broughtBack(ctx, h, path)
	case !kept:
		return refusef("undo: what was written to %q was not kept, so nothing tells whether it is unchanged; remove it by hand", path)
	case !same:
		return refusef("undo: %q has changed since the hand-over; if it holds nothing that you need, remove it yourself", path)
	}
	return nil
}

// isEmpty reports whether a file is there and holds nothing.
func isEmpty(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// broughtBack returns an error unless all that was added to the target of h,
// which is at path, is in the copies that pulls made.
func (d *Desk) broughtBack(ctx context.Context, h *Handoff, path string) error {
	grown := &GrownError{Path: path}
	if h.Op != OpTo {
		return grown
	}
	known, err := d.handed(ctx)
	if err != nil {
		return err
	}
	if h.Undone { // and cut off
		known.live = append([]*Handoff{h}, known.live...)
	}
	a, _, err := d.Agent(h.Target.Agent)
	if err != nil {
		return err
	}
	s, err := a.Open(ctx, path, agent.OpenOptions{View: agent.FullView, Home: d.Home})
	if err != nil {
		return err
	}
	_, _, err = known.boundary(ctx, &agent.Entry{Agent: h.Target.Agent, ID: h.Target.ID, Path: path}, s, 0)
	if err := errors.Join(s.Close(), ctx.Err()); err != nil {
		return err
	}
	var nothing *NothingNewError
	if !errors.As(err, &nothing) || !nothing.Pulled() {
		return grown
	}
	all, err := d.Handoffs(ctx)
	if err != nil {
		return err
	}
	last := nothing.Handoff
	if grown.Part = partial(all, last); grown.Part {
		return grown
	}
	if holds, err := d.holdsStill(ctx, &last.Target); !holds || err != nil {
		return errors.Join(err, grown)
	}
	return nil
}

// partial reports whether the copy that the pull p made lacks some of what was
// added, because p or a pull that it goes on from left it out.
func partial(all []*Handoff, p *Handoff) bool {
	part := p.Partial
	base := sessionKey{p.Target.Agent, p.Base}
	for i := len(all) - 1; i >= 0 && !part; i-- {
		if h := all[i]; h.Op == OpPull && h.Target.key() == base {
			part, base.id = h.Partial, h.Base
		}
	}
	return part
}

// holdsStill reports whether the session e begins with what was written to it.
func (d *Desk) holdsStill(ctx context.Context, e *End) (bool, error) {
	path, err := d.locate(ctx, e)
	if path == "" || err != nil {
		return false, err
	}
	a, _, err := d.Agent(e.Agent)
	if err != nil {
		return false, err
	}
	s, err := a.Open(ctx, path, agent.OpenOptions{View: agent.FullView, Home: d.Home})
	if err != nil {
		return false, ctx.Err()
	}
	links, err := chain(ctx, s)
	n := e.Blocks
	return n > 0 && n <= len(links) && links[n-1].String() == e.Chain, errors.Join(err, s.Close())
}

// elsewhere returns an error if the target of h, which is at path, is a copy that
// holds what was brought back from a session that is gone.
func (d *Desk) elsewhere(ctx context.Context, h *Handoff, path string) error {
	if h.Op != OpPull || d.begun(h) {
		return nil
	}
	from, err := d.locate(ctx, &h.Source)
	if err == nil && from == "" {
		err = refusef("undo: %q holds what was brought back from %s session %q, which is gone; if you do not need it, remove it yourself", path, h.Source.Agent, h.Source.ID)
	}
	return err
}

// needed returns an error if another session goes on from the target of h, which
// is at path. A fork that has a copy of its history needs nothing of it.
func (d *Desk) needed(ctx context.Context, h *Handoff, path string) error {
	a, _, err := d.Agent(h.Target.Agent)
	if err != nil {
		return err
	}
	c, ok := a.(agent.Continuer)
	if !ok {
		return nil
	}
	files, err := c.GoOnFrom(ctx, d.Home, path)
	if err == nil && len(files) > 0 {
		err = refusef("undo: %q goes on from %q and is broken without it; if you do not need it, remove it first", files[0], path)
	}
	return err
}

// GrownError refuses to undo a hand-over whose target holds work that is
// nowhere else.
type GrownError struct {
	Path string
	// Part says that a pull has brought back a part of it.
	Part bool
}

func (e *GrownError) Error() string {
	return fmt.Sprintf("undo: %q was continued since the hand-over, so it holds work that is nowhere else", e.Path)
}

// Is implements the match with [ErrRefused].
func (*GrownError) Is(target error) bool { return target == ErrRefused }

// compareTarget compares the content of the target of h with what was written:
// whether it holds just that, and whether it holds more.
func (d *Desk) compareTarget(ctx context.Context, h *Handoff, path string) (holds, more bool, err error) {
	a, _, err := d.Agent(h.Target.Agent)
	if err != nil {
		return false, false, err
	}
	s, err := a.Open(ctx, path, agent.OpenOptions{View: agent.FullView, Home: d.Home})
	if err != nil {
		return false, false, err
	}
	links, err := chain(ctx, s)
	holds = len(links) == h.Target.Blocks && lastLink(links) == h.Target.Chain
	return holds, len(links) > h.Target.Blocks, errors.Join(err, s.Close())
}

// beginsWith reports whether the file at path, unpacked, begins with the bytes
// of the file at kept.
func beginsWith(ctx context.Context, path, kept string) (same bool, err error) {
	fa, err := jsonl.Open(ctx, path, jsonl.Limits{})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fa.Close()) }()
	fb, err := jsonl.Open(ctx, kept, jsonl.Limits{})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fb.Close()) }()
	for at := int64(0); at < fb.Size(); {
		n := int(min(64<<10, fb.Size()-at))
		if at+int64(n) > fa.Size() {
			return false, nil
		}
		a, err := fa.ReadAt(at, n)
		if err != nil {
			return false, err
		}
		b, err := fb.ReadAt(at, n)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(a, b) {
			return false, nil
		}
		at += int64(n)
	}
	return true, nil
}
