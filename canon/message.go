package canon

import (
	"iter"
	"time"
)

// Role says whose words a message holds, as models see it.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	System    Role = "system"
)

// Authority ranks a system message.
type Authority string

// The authorities of a message whose role is [System]. Other roles have none.
const (
	AuthoritySystem    Authority = "system"
	AuthorityDeveloper Authority = "developer"
)

// MessageKind says how a message came into the session.
type MessageKind string

// The kinds of message.
const (
	// Typed was written by a person, or is the model's answer.
	Typed MessageKind = ""
	// Injected was added by the client: environment, reminders, skills.
	Injected MessageKind = "injected"
	// Summary stands for earlier messages after a compaction.
	Summary MessageKind = "summary"
	// CommandOutput echoes a command that the client itself ran.
	CommandOutput MessageKind = "command-output"
	// HookOutput was added by a hook.
	HookOutput MessageKind = "hook-output"
)

// Message is the smallest unit that some dialect gives an id of its own.
type Message struct {
	// ID is the record's or item's own id; it only has to stay equal to itself.
	ID string
	// Group is the id of the API message that this one is a part of; messages
	// of one group stand together.
	Group     string
	Role      Role
	Authority Authority
	Kind      MessageKind
	// Time is zero where the file has none.
	Time time.Time
	// Model that answered; empty if unknown.
	Model  string
	Blocks []Block
	Usage  *Usage
	// Turn is the id of the turn it belongs to, where the agent has one.
	Turn string
	Ext  Ext
	// Line is the line of the source file, from 1; 0 if it has none.
	Line int
	// File is the name of the file that Line counts in, if it is not the session's
	// own: one that the session goes on from.
	File string
}

// Messages is a stream of messages. A non-nil error ends it; the message beside
// it is nil. A message and all it holds belongs to whoever receives it.
type Messages = iter.Seq2[*Message, error]

// Thread is the header of a session. Its messages are a stream of their own.
type Thread struct {
	ID    string `json:"id"`
	Agent string `json:"agent"`
	Title string `json:"title,omitempty"`
	// Dir is the directory that the session worked in.
	Dir string `json:"cwd,omitempty"`
	Git Git    `json:"git,omitzero"`
	// Model that answered last.
	Model string `json:"model,omitempty"`
	// ClientVersion is the version of the agent that wrote the file last.
	ClientVersion string    `json:"client_version,omitempty"`
	Created       time.Time `json:"created,omitzero"`
	Updated       time.Time `json:"updated,omitzero"`
	Origin        *Origin   `json:"origin,omitempty"`
	// ForkedFrom is the id of the session that this one is a fork of.
	ForkedFrom string `json:"forked_from,omitempty"`
}

// Git is the state of the repository that a session worked in.
type Git struct {
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Dirty is a digest of the uncommitted changes; empty if unknown or clean.
	Dirty string `json:"dirty,omitempty"`
}

// Origin tells that a session was handed over from another one.
type Origin struct {
	Agent   string `json:"agent"`
	ID      string `json:"id"`
	Message string `json:"message,omitempty"`
}

// Usage counts tokens. Input is the whole prompt; CacheRead and CacheWrite are
// parts of it. Output includes Reasoning.
type Usage struct {
	Input      int64 `json:"input"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitempty"`
}

// First returns the message's first block, or nil.
func (m *Message) First() Block {
	if len(m.Blocks) == 0 {
		return nil
	}
	return m.Blocks[0]
}

// StartsTurn reports whether the message is a prompt, which begins a turn.
func (m *Message) StartsTurn() bool {
	if m.Role != User || m.Kind != Typed {
		return false
	}
	for _, b := range m.Blocks {
		if b.Kind() != KindToolResult && b.Meta().Tag == "" {
			return true
		}
	}
	return false
}

// CountTurns reads msgs to their end and returns how many turns start in them.
func CountTurns(msgs Messages) (n int, err error) {
	for m, err := range msgs {
		if err != nil {
			return 0, err
		}
		if m.StartsTurn() {
			n++
		}
	}
	return n, nil
}

// IsScaffolding reports whether the message holds scaffolding and nothing else.
func (m *Message) IsScaffolding() bool {
	for _, b := range m.Blocks {
		if b.Meta().Tag == "" {
			return false
		}
	}
	return len(m.Blocks) > 0
}

// Texts yields every text of the message decoded: text blocks, reasoning, tool
// names and inputs, and the text of results.
func (m *Message) Texts() iter.Seq[string] {
	return func(yield func(string) bool) { blockTexts(m.Blocks, yield) }
}

func blockTexts(blocks []Block, yield func(string) bool) bool {
	for _, b := range blocks {
		ok := true
		switch b := b.(type) {
		case *TextBlock:
			ok = yield(b.Text.String())
		case *ReasoningBlock:
			ok = yield(b.Text.String())
			for _, s := range b.Summary {
				ok = ok && yield(s.String())
			}
		case *ToolCallBlock:
			ok = yield(b.Name) && yield(b.Input.Text.String()) && yield(string(b.Input.JSON))
		case *ToolResultBlock:
			ok = blockTexts(b.Content, yield)
		case *DocumentBlock:
			ok = yield(b.Name) && yield(b.Plain.String())
		case *ImageBlock, *CompactionBlock, *OpaqueBlock:
		}
		if !ok {
			return false
		}
	}
	return true
}
