package check

// How records hang together, and which of them the client continues from.
var claudeTreeRules = [...]Rule{
	{
		ID: "claude-no-messages", Agent: agentClaude, Severity: Error, Effect: Refused,
		Summary: "the file holds no message", Remedy: "there is nothing to resume", Evidence: cc + ` ("No conversation found"; empty file and bookkeeping only)`,
	},
	{
		ID: "claude-sidechain-only", Agent: agentClaude, Severity: Error, Effect: Refused,
		Summary: "all messages are a subagent's: the client finds no conversation", Remedy: "resume the session that started the subagent, or repair to make it a session of its own",
		Repair: "the messages become main messages", Evidence: cc + ` ("No conversation found")`,
	},
	{
		ID: "claude-missing-type", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a message has no type and is not read", Remedy: "repair adds the type", Repair: "the type is added after the message's role",
		Evidence: cc + ` (one record: its text is lost; all: "No conversation found")`,
	},
	{
		ID: "claude-missing-uuid", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a message has no uuid and is not reached", Remedy: "repair adds ids and links the records", Repair: "an id is added, the next record linked to it",
		Evidence: cc + " (of several records without uuid only the last is reached; a single one is, if the next record came within 5 s)",
	},
	{
		ID: "claude-missing-parent", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a message has no parentUuid: the history begins anew with it", Remedy: "repair links it to the record before it", Repair: "it is linked to the record before it",
		Evidence: cc + " (one record and all; the exit code is 0)",
	},
	{
		ID: "claude-duplicate-uuid", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "two different records have one uuid: the later one takes the place of the earlier", Remedy: "repair gives the earlier record an id of its own",
		Repair: "the earlier record gets a fresh id and its place in the chain", Evidence: cc,
	},
	{
		ID: "claude-duplicate-record", Agent: agentClaude, Severity: Info, Effect: Harmless,
		Summary: "a record stands in the file twice", Remedy: "nothing to do; repair drops the copy", Repair: "the copy is dropped", Evidence: cc + "; anthropics/claude-code#5034",
	},
	{
		ID: "claude-dangling-parent", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "the parent of a message is not in the file and no record came within the 5,000 ms before it: everything earlier is lost",
		Remedy:  "repair links it to the record before it", Repair: "it is linked to the record before it",
		Evidence: cc + "; anthropics/claude-code#22526, #24304, #58554, #61188",
	},
	{
		ID: "claude-bridged-parent", Agent: agentClaude, Severity: Warning, Effect: Harmless,
		Summary: "the parent of a message is not in the file; the client takes the record that came at most 5,000 ms before it", Remedy: "repair links it for good; older clients lose what is earlier",
		Repair: "it is linked to the record before it", Evidence: cc + "; anthropics/claude-code#22526, #46603 (older clients)",
	},
	{
		ID: "claude-unknown-type", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a message follows a record of a type that the client does not know, more than 5,000 ms later: everything earlier is lost",
		Remedy:  "update the client, or repair", Repair: "the message is linked to the record before it", Evidence: cc,
	},
	{
		ID: "claude-parent-cycle", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "parents form a cycle: the history begins inside it", Remedy: "repair breaks the cycle", Repair: "the cycle is broken at its earliest record, which is linked to the record before it", Evidence: cc,
	},
	{
		ID: "claude-bridged-cycle", Agent: agentClaude, Severity: Warning, Effect: Harmless,
		Summary: "parents form a cycle that the client gets out of", Remedy: "repair breaks the cycle", Repair: "the cycle is broken at its earliest record",
		Evidence: cc + " (a record at most 5,000 ms earlier, or none left)",
	},
	{
		ID: "claude-second-root", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "the history begins at a message in the middle of the file: what stands before it is not sent", Remedy: "if the conversation was not begun anew on purpose, repair links it to the record before it",
		Repair: "it is linked to the record before it", Evidence: cc,
	},
	{
		ID: "claude-other-branch", Agent: agentClaude, Severity: Info, Effect: Harmless,
		Summary: "messages lie on branches that were left, and are not sent", Remedy: "nothing to do if the conversation was taken back there", Evidence: cc,
	},
	{
		ID: "claude-stale-last-prompt", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "the last last-prompt record names an older branch: later messages are not sent", Remedy: "repair names the latest branch",
		Repair: "a last-prompt record that names the latest message ends the file", Evidence: cc + "; anthropics/claude-code#43044, #46603",
	},
	{
		ID: "claude-unknown-last-prompt", Agent: agentClaude, Severity: Info, Effect: Harmless,
		Summary: "the last last-prompt record names a record that is not in the file, and is ignored", Remedy: "nothing to do",
		Repair: "a last-prompt record that names the latest message ends the file", Evidence: cc,
	},
	{
		ID: "claude-sidechain-leaf", Agent: agentClaude, Severity: Error, Effect: Refused,
		Summary: "the last last-prompt record names a subagent's message: the client finds no conversation", Remedy: "repair names the latest message",
		Repair: "a last-prompt record that names the latest message ends the file", Evidence: cc + ` ("No conversation found")`,
	},
	{
		ID: "claude-sidechain-in-chain", Agent: agentClaude, Severity: Warning, Effect: Harmless,
		Summary: "the conversation hangs on a subagent's message, which is sent as a part of it", Remedy: "repair links it to the main message before it",
		Repair: "the message is linked to the main one before it", Evidence: cc,
	},
	{
		ID: "claude-side-leaf", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a notice at the end of the file hangs on an older branch, and the client continues there: later messages are not sent", Remedy: "repair names the latest branch",
		Repair: "a last-prompt record that names the latest message ends the file", Evidence: cc + " (system and attachment records)",
	},
	{
		ID: "claude-boundary-without-summary", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a compaction has no summary: what stands before it is lost without a trace", Remedy: "repair takes the compaction back",
		Repair: "the boundary becomes a notice linked to the record before it", Evidence: cc + "; anthropics/claude-code#61188",
	},
	{
		ID: "claude-preserved-missing", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "a compaction keeps messages that are not in the file: none of those it keeps is sent", Remedy: "the summary still stands for them", Evidence: cc,
	},
	{
		ID: "claude-size-fast-path", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "the file is larger than 5,242,880 bytes and its active branch does not pass the last compaction: messages before that are discarded on load",
		Remedy:  "repair takes back the compactions of other branches", Repair: "the boundary becomes a notice", Evidence: cc,
	},
}
