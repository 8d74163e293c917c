package uuid_test

import (
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/uuid"
)

var now = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

func TestNewIDsAreUUIDsInTheOrderOfTime(t *testing.T) {
	last := ""
	for i := range 100 {
		id := uuid.New(now.Add(time.Duration(i) * time.Millisecond))
		if !uuid.Valid(id) || id[14] != '7' || id <= last || !strings.ContainsAny(id[19:20], "89ab") {
			t.Errorf("%q after %q", id, last)
		}
		last = id
	}
	if a, b := uuid.New(now), uuid.New(now); a == b {
		t.Error("the same id twice")
	}
}

func TestDerivedIDsFollowFromTheirSeed(t *testing.T) {
	seed := []byte("seed")
	for name, derive := range map[string]func([]byte) string{
		"alone":   uuid.Derive,
		"in time": func(seed []byte) string { return uuid.DeriveAt(now, seed) },
	} {
		t.Run(name, func(t *testing.T) {
			id := derive(seed)
			if !uuid.Valid(id) || id[14] != '8' || !strings.ContainsAny(id[19:20], "89ab") {
				t.Errorf("%q is no UUID of version 8", id)
			}
			if derive(seed) != id || derive([]byte("other")) == id {
				t.Error("it does not follow from the seed")
			}
		})
	}
	if a, b := uuid.DeriveAt(now, seed), uuid.DeriveAt(now.Add(time.Millisecond), seed); a >= b {
		t.Errorf("%q is not before %q", a, b)
	}
}

func TestUUIDs(t *testing.T) {
	for s, want := range map[string]bool{
		"0190a1b2-c3d4-7000-8000-000000000001": true, "0190A1B2-C3D4-7000-8000-00000000000F": true, "": false,
		"0190a1b2-c3d4-7000-8000-00000000000": false, "0190a1b2-c3d4-7000-8000-0000000000011": false, "0190a1b2c3d4-7000-8000-00000000000001": false,
		"0190a1b2-c3d4-7000-8000-00000000000g": false, "0190a1b2-c3d4-7000-8000_000000000001": false, "--help--------------------------------": false,
	} {
		if uuid.Valid(s) != want {
			t.Errorf("%q: %v", s, !want)
		}
	}
}
