package dialect

import "github.com/crosswalk-agents/crosswalk/canon"

// Word is a protocol's word for something that canon has a name for.
type Word[T comparable] struct {
	Word  string
	Means T
}

// Words lists the words of a protocol for one kind of thing. Several may mean the
// same: the first of them is written.
type Words[T comparable] []Word[T]

// Meaning returns what a word means; ok is false for one that is not listed.
func (w Words[T]) Meaning(word string) (means T, ok bool) {
	for _, x := range w {
		if x.Word == word {
			return x.Means, true
		}
	}
	return means, false
}

// For returns the word that is written for means, or otherwise if there is none.
func (w Words[T]) For(means T, otherwise string) string {
	for _, x := range w {
		if x.Means == means {
			return x.Word
		}
	}
	return otherwise
}

// ReadStop returns the stop that a word stands for; one that is not listed is an
// end, with the word for people.
func ReadStop(words Words[canon.StopReason], word string) canon.Stop {
	if reason, ok := words.Meaning(word); ok {
		return canon.Stop{Reason: reason}
	}
	return canon.Stop{Reason: canon.StopEnd, Detail: word}
}
