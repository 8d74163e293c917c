package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
)

// Mask appends text to dst with every match replaced by its placeholder, and
// returns the extended slice. Matches are those of [Finder.Find] on text; the
// secret a placeholder gets is valid only during the call. A placeholder
// should hold nothing a rule would take for a secret, as those of
// [Placeholders].For do not.
func Mask(dst, text []byte, matches []Match, placeholder func(rule, secret string) string) []byte {
	pos := 0
	for _, m := range matches {
		if m.Start < pos || m.End > len(text) {
			continue
		}
		dst = append(dst, text[pos:m.Start]...)
		dst = append(dst, placeholder(m.Rule, string(text[m.Start:m.End]))...)
		pos = m.End
	}
	return append(dst, text[pos:]...)
}

const (
	opening  = "[redacted:"
	tagSize  = 6 // bytes: 24 million secrets before two are likely to share a tag
	leastKey = 16
)

// Placeholders makes the texts that stand for secrets within one lineage, the
// hand-overs of one conversation from agent to agent. It is immutable.
type Placeholders struct{ key []byte }

// NewPlaceholders takes the lineage's key: at least 16 random bytes, kept in
// the state folder and never handed over. Who has it can try
// passwords against a placeholder.
func NewPlaceholders(key []byte) (*Placeholders, error) {
	if len(key) < leastKey {
		return nil, errors.New("make placeholders: the lineage key has less than 16 bytes")
	}
	return &Placeholders{slices.Clone(key)}, nil
}

// For returns [redacted:<rule>:<tag>]. The tag is a keyed hash of the secret:
// the same secret has the same tag whenever and wherever it is found in the
// lineage, and another one in every other lineage.
func (p *Placeholders) For(rule, secret string) string {
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte("crosswalk placeholder\x00" + secret))
	return opening + rule + ":" + hex.EncodeToString(mac.Sum(nil)[:tagSize]) + "]"
}

// Conceal returns text with [redacted:<rule>] in place of each likely secret, for
// what a message quotes: messages end up in logs.
func Conceal(text string) string { return New(Options{Deep: true}).Conceal(text) }

// Conceal is [Conceal] for one of many texts.
func (f *Finder) Conceal(text string) string {
	matches := f.Find([]byte(text))
	if len(matches) == 0 {
		return text
	}
	return string(Mask(nil, []byte(text), matches, func(rule, _ string) string { return opening + rule + "]" }))
}
