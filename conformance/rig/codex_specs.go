package rig

// CodexText is one typed turn and one text answer.
func CodexText() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: []CodexStep{
		{Prompt: TypedFirst, Script: []Turn{{Text: SaidDone}}},
	}}
}

// CodexTools is a session with direct tools: reasoning, parallel calls of which
// one fails, a patch that changes a.txt; then a second turn.
func CodexTools() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: codexToolSteps()}
}

func codexToolSteps() []CodexStep {
	return []CodexStep{
		{Prompt: TypedFirst, Script: []Turn{
			{Thinking: Thought, Text: SaidLooking, Tools: []Tool{
				Call("exec_command", Args{"cmd": "cat a.txt"}),
				Call("exec_command", Args{"cmd": "exit 3"}),
			}},
			{Tools: []Tool{Custom("", "apply_patch", patchA)}},
			{Text: SaidDone},
		}},
		{Prompt: TypedSecond, Script: []Turn{{Text: SaidRecap}}},
	}
}

const patchA = "*** Begin Patch\n*** Update File: a.txt\n@@\n alpha\n-beta\n+BETA\n*** End Patch\n"

// CodexImages is a turn with a typed image (blue) and one the model views (red).
func CodexImages() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: []CodexStep{
		{Prompt: TypedImage, Images: [][]byte{PNG(Blue)}, Script: []Turn{
			{Tools: []Tool{Call("view_image", Args{"path": "$WORK/red.png"})}},
			{Text: SaidColour},
		}},
	}}
}

// CodexScripts is a session in code mode: the model's only tool takes
// JavaScript, which runs a command and then changes a.txt.
func CodexScripts() CodexSpec {
	return CodexSpec{Files: workFiles(), Model: CodexCode, Steps: []CodexStep{
		{Prompt: TypedFirst, Script: []Turn{
			{Text: SaidLooking, Tools: []Tool{Custom("functions", "exec",
				`const r = await tools.exec_command({cmd: "cat a.txt"}); text(r.output);`)}},
			{Tools: []Tool{Custom("functions", "exec",
				`text(JSON.stringify(await tools.apply_patch("*** Begin Patch\n*** Update File: a.txt\n@@\n alpha\n-beta\n+BETA\n*** End Patch\n")));`)}},
			{Text: SaidDone},
		}},
	}}
}

// CodexKilled ends in the middle of a turn: a call and its result are there, the
// next answer never came.
func CodexKilled() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: []CodexStep{
		{Prompt: TypedFirst, KillAfter: 2, Script: []Turn{
			{Text: SaidLooking, Tools: []Tool{Call("exec_command", Args{"cmd": "cat a.txt"})}},
			{Text: SaidDone, DelayMS: 60_000},
		}},
	}}
}

// CodexCompacted is [CodexTools], then a compaction, then one more turn.
func CodexCompacted() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: append(codexToolSteps(),
		CodexStep{Do: CodexCompact, Script: []Turn{{Text: SaidSummary}}},
		CodexStep{Prompt: "Go on.", Script: []Turn{{Text: SaidAfter}}},
	)}
}

// CodexReverted is [CodexTools], whose second turn is then taken back, and one
// more turn. It has two files.
func CodexReverted() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: append(codexToolSteps(),
		CodexStep{Do: CodexRevert, Turns: 1},
		CodexStep{Prompt: "Go on.", Script: []Turn{{Text: SaidAfter}}},
	)}
}

// CodexForked is [CodexTools] and a fork of it with one turn of its own. The
// session is the fork.
func CodexForked() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: append(codexToolSteps(),
		CodexStep{Do: CodexFork, Prompt: "Go on.", Script: []Turn{{Text: SaidAfter}}},
	)}
}

// CodexArchived is [CodexTools], then archived.
func CodexArchived() CodexSpec {
	return CodexSpec{Files: workFiles(), Steps: append(codexToolSteps(), CodexStep{Do: CodexArchive})}
}
