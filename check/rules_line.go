package check

// What is wrong with lines and bytes is the same in both formats; what comes of
// it is not.

var claudeLineRules = [...]Rule{
	{
		ID: "claude-malformed-line", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "a line is no JSON object and is skipped", Remedy: "repair drops the line; what it held cannot be read by any program",
		Repair: "the line is dropped", Evidence: cc + "; anthropics/claude-code#50347",
	},
	{
		ID: "claude-torn-line", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "the last line breaks off and is skipped", Remedy: "if the client is running, check again when it has ended; else repair drops the torn line",
		Repair: "the torn line is dropped", Evidence: cc + "; anthropics/claude-code#53821",
	},
	{
		ID: "claude-cut-record", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a record breaks off and the next one follows on the same line: both are lost", Remedy: "repair recovers the complete record behind the break",
		Repair: "the broken record is dropped, the complete one gets a line of its own", Evidence: cc + "; anthropics/claude-code#81843",
	},
	{
		ID: "claude-glued-records", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "several records stand on one line: only the first is read", Remedy: "repair gives each record a line of its own",
		Repair: "each record gets a line of its own", Evidence: cc,
	},
	{
		ID: "claude-nul-bytes", Agent: agentClaude, Severity: Warning, Effect: Harmless,
		Summary: "a run of NUL bytes stands between records, as after a power loss", Remedy: "repair removes the NUL bytes",
		Repair: "the NUL bytes are removed", Evidence: cc + " (NUL bytes on a line of their own and behind a record); anthropics/claude-code#49876",
	},
	{
		ID: "claude-nul-record", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "NUL bytes stand before a record on its line: the record is lost", Remedy: "repair removes the NUL bytes and keeps the record",
		Repair: "the NUL bytes are removed", Evidence: cc + "; anthropics/claude-code#81843",
	},
	{
		ID: "claude-bom", Agent: agentClaude, Severity: Warning, Effect: Unlisted,
		Summary: "the file begins with a byte order mark: it resumes, but the picker shows no title", Remedy: "repair removes the mark",
		Repair: "the mark is removed", Evidence: cc + " (resume and picker)",
	},
	{
		ID: "claude-crlf", Agent: agentClaude, Severity: Info, Effect: Harmless,
		Summary: "lines end with CRLF", Remedy: "nothing to do; repair writes LF", Repair: "lines end with LF", Evidence: cc,
	},
	{
		ID: "claude-no-final-newline", Agent: agentClaude, Severity: Info, Effect: Harmless,
		Summary: "the last line has no newline: older clients glue the next record to it", Remedy: "resume with a client of version 2.1.332 or later, or repair",
		Repair: "a newline is added", Evidence: cc + "; Dicklesworthstone/cross_agent_session_resumer PR 13 (older clients)",
	},
	{
		ID: "claude-invalid-utf8", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "bytes are no valid UTF-8 and become U+FFFD", Remedy: "repair replaces them as the client does",
		Repair: "each invalid sequence becomes U+FFFD", Evidence: cc,
	},
	{
		ID: "claude-lone-surrogate", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "a lone surrogate stands in a string: it becomes U+FFFD; with older clients the API refuses every later turn",
		Remedy:  "repair replaces it, and the session is safe with any version",
		Repair:  "it becomes U+FFFD", Evidence: cc + "; anthropics/claude-code#56064, #70618, #69927 (older clients)",
	},
}

var codexLineRules = [...]Rule{
	{
		ID: "codex-malformed-line", Agent: agentCodex, Severity: Warning, Effect: PartLost,
		Summary: "a line is no JSON object and is skipped", Remedy: "repair drops the line; what it held cannot be read by any program",
		Repair: "the line is dropped", Evidence: cx + "; openai/codex#25365",
	},
	{
		ID: "codex-torn-line", Agent: agentCodex, Severity: Warning, Effect: PartLost,
		Summary: "the last line breaks off and is skipped", Remedy: "if the client is running, check again when it has ended; else repair drops the torn line",
		Repair: "the torn line is dropped", Evidence: cx,
	},
	{
		ID: "codex-cut-record", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "a record breaks off and the next one follows on the same line: both are lost", Remedy: "repair recovers the complete record behind the break",
		Repair: "the broken record is dropped, the complete one gets a line of its own", Evidence: cx,
	},
	{
		ID: "codex-glued-records", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "several records stand on one line: all of them are lost", Remedy: "repair gives each record a line of its own",
		Repair: "each record gets a line of its own", Evidence: cx,
	},
	{
		ID: "codex-nul-bytes", Agent: agentCodex, Severity: Warning, Effect: Harmless,
		Summary: "a line holds only NUL bytes, as after a power loss", Remedy: "repair removes the NUL bytes",
		Repair: "the NUL bytes are removed", Evidence: cx,
	},
	{
		ID: "codex-nul-record", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "NUL bytes stand on the line of a record: the record is lost", Remedy: "repair removes the NUL bytes and keeps the record",
		Repair: "the NUL bytes are removed", Evidence: cx + " (before and behind the record)",
	},
	{
		ID: "codex-bom", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the file begins with a byte order mark: the client refuses it", Remedy: "repair removes the mark",
		Repair: "the mark is removed", Evidence: cx,
	},
	{
		ID: "codex-crlf", Agent: agentCodex, Severity: Info, Effect: Harmless,
		Summary: "lines end with CRLF", Remedy: "nothing to do; repair writes LF", Repair: "lines end with LF", Evidence: cx,
	},
	{
		ID: "codex-no-final-newline", Agent: agentCodex, Severity: Info, Effect: Harmless,
		Summary: "the last line has no newline", Remedy: "nothing to do: the client ends it before it appends", Repair: "a newline is added", Evidence: cx,
	},
	{
		ID: "codex-invalid-utf8", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "bytes are no valid UTF-8: the client refuses the whole thread", Remedy: "repair replaces them",
		Repair: "each invalid sequence becomes U+FFFD", Evidence: cx + "; openai/codex#36802",
	},
	{
		ID: "codex-lone-surrogate", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "a lone surrogate stands in a string: the record is lost", Remedy: "repair replaces it and keeps the record",
		Repair: "it becomes U+FFFD", Evidence: cx,
	},
}
