//go:build unix && !linux

package seal

import "errors"

func enter(Spec) error { return errors.New("boxes can be sealed on Linux only") }

func adoptOrphans() error { return nil }

func endStrays(bool) {}
