package handoff

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/crosswalk-agents/crosswalk/internal/atomicfile"
	"github.com/crosswalk-agents/crosswalk/internal/osx"
)

// keySize is the size of the machine's key in bytes.
const keySize = 32

// LineageKey returns the key for the placeholders of a session's lineage: the
// same for all sessions that came from one another. It is derived from a key
// that stays in the state folder.
func (d *Desk) LineageKey(ctx context.Context, session string) ([]byte, error) {
	root := session
	steps, err := d.Lineage(ctx, session)
	if err != nil {
		return nil, err
	}
	if len(steps) > 0 && session != "" {
		root = steps[0].Handoff.Source.ID
	}
	key, err := d.machineKey()
	if err != nil {
		return nil, err
	}
	return lineageKey(key, root), nil
}

func lineageKey(key []byte, root string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(root))
	return mac.Sum(nil)
}

// FileKey returns the key for the placeholders of sessions of which nothing is
// remembered, or nil if this machine has no key yet: none is made.
func (d *Desk) FileKey() []byte {
	key, err := osx.ReadFile(d.keyFile(), 1<<10)
	if err != nil || len(key) != keySize {
		return nil
	}
	return lineageKey(key, "")
}

func (d *Desk) keyFile() string { return filepath.Join(d.State, "lineage.key") }

// machineKey reads the key of this machine, and makes it the first time.
func (d *Desk) machineKey() ([]byte, error) {
	path := d.keyFile()
	for range 2 {
		key, err := osx.ReadFile(path, 1<<10)
		if err == nil && len(key) == keySize {
			return key, nil
		}
		if err == nil {
			return nil, fmt.Errorf("read %q: it has %d bytes, not %d; remove it, and a new one is made", path, len(key), keySize)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the key for placeholders: %w", err)
		}
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // never fails
		if err := atomicfile.CreateFile(path, key, 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("read %q: another process keeps creating and removing it", path)
}
