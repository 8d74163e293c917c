package check

// How tool calls and their results pair.
var claudePairRules = [...]Rule{
	{
		ID: "claude-unanswered-call", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a tool call has no result: the whole record is dropped, with any text in it; older clients send it and the API refuses every turn",
		Remedy:  "repair answers it", Repair: "a result that says so is put behind it",
		Evidence: cc + "; anthropics/claude-code#473, #1894, #9346, #8783 (older clients)",
	},
	{
		ID: "claude-open-call", Agent: agentClaude, Severity: Info, Effect: Harmless,
		Summary: "a tool call has no result, and the client makes one", Remedy: "nothing to do", Evidence: cc + " (at the end; beside an answered call in the same record)",
	},
	{
		ID: "claude-orphan-result", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a tool result has no call: it is dropped; older clients send it and the API refuses every turn", Remedy: "repair keeps it as text",
		Repair: "it becomes marked text", Evidence: cc + "; anthropics/claude-code#14132 (older clients)",
	},
	{
		ID: "claude-starts-with-result", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "the history begins with a tool result: it is dropped", Remedy: "repair keeps it as text", Repair: "it becomes marked text", Evidence: cc + "; anthropics/claude-code#15205",
	},
	{
		ID: "claude-repeated-call-id", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "two tool calls have one id: the second and its result are lost; older clients send both and the API refuses every turn", Remedy: "repair renames the second",
		Repair: "the second is renamed in call and result", Evidence: cc + "; anthropics/claude-code#21071, #21317 (older clients)",
	},
	{
		ID: "claude-derived-call-id", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "the id of a tool call is that of another one with _ and digits behind it: the client takes the call for a part of that one, and its result is lost",
		Remedy:  "repair renames it", Repair: "it is renamed in call and result", Evidence: cc + " (before and behind the other call, in one message and in later turns)",
	},
	{
		ID: "claude-repeated-result", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a tool call has a second result: it is dropped", Remedy: "repair keeps it as text", Repair: "it becomes marked text", Evidence: cc,
	},
	{
		ID: "claude-late-result", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a tool result comes after a later answer: it is dropped", Remedy: "repair answers the call and keeps the result as text",
		Repair: "a result that says so is put behind the call, the late one becomes marked text", Evidence: cc,
	},
	{
		ID: "claude-split-parallel", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "parallel tool calls stand in records without a common message id: the result of all but the last is lost", Remedy: "repair gives them one message id",
		Repair: "they get one message id", Evidence: cc + " (no id, and different ids)",
	},
}

// Where the file lies, and what the picker makes of it.
var claudePlaceRules = [...]Rule{
	{
		ID: "claude-file-name", Agent: agentClaude, Severity: Warning, Effect: Unlisted, Place: true,
		Summary: "the file's name is not <uuid>.jsonl: it is not listed and has no id to resume by", Remedy: "rename it, or resume it by its path", Evidence: cc + " (resume by id, by path, and picker)",
	},
	{
		ID: "claude-compressed", Agent: agentClaude, Severity: Error, Effect: Refused, Place: true,
		Summary: "the file is compressed, which the client does not read", Remedy: "unpack it; repair writes it unpacked", Repair: "it is written unpacked", Evidence: cc,
	},
	{
		ID: "claude-session-id", Agent: agentClaude, Severity: Info, Effect: Harmless, Place: true,
		Summary: "records name another session than the file does; the file's name counts", Remedy: "nothing to do", Evidence: cc + "; anthropics/claude-code#30802",
	},
	{
		ID: "claude-sidechain-first", Agent: agentClaude, Severity: Warning, Effect: Unlisted,
		Summary: "the first line is a subagent's: the picker leaves the session out", Remedy: "resume it by its id, or repair", Repair: "the first main message is put first", Evidence: cc + " (picker)",
	},
	{
		ID: "claude-listing-window", Agent: agentClaude, Severity: Warning, Effect: Unlisted,
		Summary: "no title, and no prompt within the first 65,536 bytes: the picker shows the session without a name", Remedy: "resume it by its id, or repair",
		Repair: "a title record ends the file", Evidence: cc + " (picker)",
	},
	{
		ID: "claude-sdk-entrypoint", Agent: agentClaude, Severity: Warning, Effect: Unlisted,
		Summary: "the session was run without a terminal: the picker leaves it out", Remedy: "resume it by its id", Evidence: cc + " (picker)",
	},
}
