package rig

import "image/color"

// The texts that the ready specs leave in a session, for tests to look for.
const (
	TypedFirst  = "Please fix a.txt, it has a typo."
	TypedSecond = "Now say what you did."
	TypedBranch = "Rather leave a.txt as it was."
	TypedImage  = "What colour is this picture?"
	SaidLooking = "I will look at the file."
	SaidDone    = "Done: beta is BETA now."
	SaidRecap   = "I put the second line in capitals."
	SaidColour  = "It is red."
	SaidSummary = "The user had a typo in a.txt corrected."
	SaidAfter   = "Going on after the compaction."
	SaidBySub   = "The subagent found two lines."
	Thought     = "The file has two lines; the second is wrong."
	SubTask     = "Count the lines of a.txt."
)

// Red and Blue are the colours of the images in the ready specs: blue is typed
// by the user, red is read by the model.
var (
	Red  = color.RGBA{R: 200, G: 30, B: 30, A: 255}
	Blue = color.RGBA{R: 30, G: 30, B: 200, A: 255}
)

func workFiles() map[string][]byte {
	return map[string][]byte{"a.txt": []byte("alpha\nbeta\n"), "red.png": PNG(Red)}
}

// ClaudeText is one typed turn and one text answer.
func ClaudeText() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: []ClaudeStep{
		{Prompt: TypedFirst, Script: []Turn{{Text: SaidDone}}},
	}}
}

// ClaudeTools is a turn with thinking, three parallel calls of which one fails,
// and an edit that changes a.txt; then a second turn.
func ClaudeTools() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: claudeToolSteps()}
}

func claudeToolSteps() []ClaudeStep {
	file := "$WORK/a.txt"
	return []ClaudeStep{
		{Prompt: TypedFirst, Script: []Turn{
			{Thinking: Thought, Text: SaidLooking, Tools: []Tool{
				Call("Read", Args{"file_path": file}),
				Call("Bash", Args{"command": "exit 3", "description": "Fail"}),
				Call("Bash", Args{"command": "wc -l a.txt", "description": "Count lines"}),
			}},
			{Tools: []Tool{Call("Edit", Args{"file_path": file, "old_string": "beta", "new_string": "BETA"})}},
			{Text: SaidDone},
		}},
		{Prompt: TypedSecond, Script: []Turn{{Text: SaidRecap}}},
	}
}

// ClaudeImages is a turn with a typed image (blue) and an image in a tool result
// (red).
func ClaudeImages() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: []ClaudeStep{claudeImageStep()}}
}

func claudeImageStep() ClaudeStep {
	return ClaudeStep{Prompt: TypedImage, Images: [][]byte{PNG(Blue)}, Script: []Turn{
		{Tools: []Tool{Call("Read", Args{"file_path": "$WORK/red.png"})}},
		{Text: SaidColour},
	}}
}

// ClaudeSubagent is a turn with a subagent, which runs in the foreground and
// uses a tool itself. Its session is a file of its own.
func ClaudeSubagent() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: []ClaudeStep{claudeSubagentStep()}}
}

// claudeSubagentStep keeps the agent in the foreground: in the background, which
// is the default (2.1.332), its requests race with those of the session.
func claudeSubagentStep() ClaudeStep {
	return ClaudeStep{Prompt: TypedFirst, Script: []Turn{
		{Text: SaidLooking, Tools: []Tool{Call("Agent", Args{
			"description": "Count lines", "prompt": SubTask,
			"subagent_type": "general-purpose", "run_in_background": false,
		})}},
		{Tools: []Tool{Call("Bash", Args{"command": "wc -l a.txt", "description": "Count lines"})}},
		{Text: SaidBySub},
		{Text: SaidDone},
	}}
}

// ClaudeCompacted is [ClaudeTools], then a compaction, then one more turn.
func ClaudeCompacted() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: append(claudeToolSteps(), claudeCompactSteps()...)}
}

// summaryAnswer has the form that the client asks for. An answer without it is
// used too, but only after the client has asked a second time (2.1.332).
const summaryAnswer = "<analysis>\nShort.\n</analysis>\n<summary>\n" + SaidSummary + "\n</summary>"

func claudeCompactSteps() []ClaudeStep {
	return []ClaudeStep{
		{Prompt: "/compact", Script: []Turn{{Text: summaryAnswer}}},
		{Prompt: "Go on.", Script: []Turn{{Text: SaidAfter}}},
	}
}

// ClaudeKilled ends in the middle of a turn: a call and its result are there,
// the next answer never came.
func ClaudeKilled() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: []ClaudeStep{
		{Prompt: TypedFirst, KillAfter: 2, Script: []Turn{
			{Text: SaidLooking, Tools: []Tool{Call("Read", Args{"file_path": "$WORK/a.txt"})}},
			{Text: SaidDone, DelayMS: 60_000},
		}},
	}}
}

// ClaudeBranched is [ClaudeTools] and a third turn that follows the first: the
// second turn is on a branch that is no longer active.
func ClaudeBranched() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: append(claudeToolSteps(),
		ClaudeStep{Prompt: TypedBranch, BranchAt: SaidDone, Script: []Turn{{Text: SaidAfter}}},
	)}
}

// ClaudeForked is [ClaudeTools], forked by the client, with one turn more in the
// fork. The session is the fork.
func ClaudeForked() ClaudeSpec {
	return ClaudeSpec{Files: workFiles(), Steps: append(claudeToolSteps(),
		ClaudeStep{Prompt: "Go on.", Fork: true, Script: []Turn{{Text: SaidAfter}}},
	)}
}

// ClaudeEverything has tools, an image turn, a subagent, a compaction and a turn after
// it in one session.
func ClaudeEverything() ClaudeSpec {
	steps := append(claudeToolSteps(), claudeImageStep(), claudeSubagentStep())
	return ClaudeSpec{Files: workFiles(), Steps: append(steps, claudeCompactSteps()...)}
}
