package check

// The first line, and what numbers and dates the lines.
var codexMetaRules = [...]Rule{
	{
		ID: "codex-empty", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the file is empty", Remedy: "if the client has just begun it, check again; else there is nothing to resume", Evidence: cx + "; openai/codex#38613",
	},
	{
		ID: "codex-first-line", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the first line is no session_meta record", Remedy: "repair writes one from what the file and its name tell", Repair: "a session_meta record is put first",
		Evidence: cx + ` ("does not start with session_meta")`,
	},
	{
		ID: "codex-meta-field", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "a field of the first line is missing or of a wrong kind", Remedy: "repair fills it in", Repair: "it is filled in, or taken out where it is optional",
		Evidence: cx + " (id, timestamp, cwd, originator, cli_version missing or no string; source null or a number; session_id no uuid; git, model_provider, base_instructions of another kind)",
	},
	{
		ID: "codex-meta-id", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the id of the first line is no uuid", Remedy: "repair gives it the id of the file's name", Repair: "it becomes the id of the file's name, or a fresh one", Evidence: cx + ` ("failed to parse thread ID"); catatafishen/agentbridge#40`,
	},
	{
		ID: "codex-id-mismatch", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the id of the first line is not that of the file's name", Remedy: "rename the file, or repair into a file named after the thread", Repair: "it becomes the id of the file's name",
		Evidence: cx + ` ("thread source changed during resume")`,
	},
	{
		ID: "codex-old-format", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the file has the form of before October 2025, which the client no longer reads", Remedy: "repair writes it in the present form", Repair: "each record is put into the present form", Evidence: cx,
	},
	{
		ID: "codex-subagent", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the thread is a subagent's, which the client resumes only with the thread that spawned it", Remedy: "resume that thread, or repair to make this one a thread of its own",
		Repair: "its source becomes cli", Evidence: cx + ` (multi_agent_version v2: "cannot resume an unloaded multi-agent v2 sub-agent through its parent")`,
	},
	{
		ID: "codex-second-meta", Agent: agentCodex, Severity: Info, Effect: Harmless,
		Summary: "a further session_meta record names another thread, as forks have it; the first counts", Remedy: "nothing to do", Evidence: cx,
	},
	{
		ID: "codex-history-mode", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "history_mode is neither legacy nor paginated", Remedy: "repair sets it", Repair: "it is set to what the lines are", Evidence: cx + " (unknown word, null)",
	},
	{
		ID: "codex-timestamp", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "the timestamp of a line is missing or no string: the line is lost", Remedy: "repair writes it as a string", Repair: "it is written as a string, or taken from the line before",
		Evidence: cx + "; Dicklesworthstone/cross_agent_session_resumer#4",
	},
	{
		ID: "codex-line-type", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "a line has no type or no payload, and is lost", Remedy: "repair derives the type from the payload", Repair: "the type is derived from the payload; a line without payload is dropped", Evidence: cx,
	},
	{
		ID: "codex-ordinal-missing", Agent: agentCodex, Severity: Warning, Effect: Unlisted,
		Summary: "a line of a paginated thread has no ordinal: it resumes, but pages of history may leave it out", Remedy: "repair numbers the lines", Repair: "the lines are numbered anew",
		Evidence: cx + " (resumes); openai/codex#38341",
	},
	{
		ID: "codex-final-ordinal", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the last line of a paginated thread has no ordinal", Remedy: "repair numbers the lines", Repair: "the lines are numbered anew", Evidence: cx + ` ("final paginated rollout record … is missing an ordinal"); openai/codex#45150`,
	},
	{
		ID: "codex-ordinal-gap", Agent: agentCodex, Severity: Warning, Effect: Unlisted,
		Summary: "the ordinals of a paginated thread do not count up by one: it resumes, but pages of history may leave lines out", Remedy: "repair numbers the lines",
		Repair: "the lines are numbered anew", Evidence: cx + " (resumes); openai/codex#38341",
	},
	{
		ID: "codex-ordinal-kind", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "the ordinal of a line is no whole number: the line is lost", Remedy: "repair numbers the lines", Repair: "the lines are numbered anew", Evidence: cx + " (string, fraction)",
	},
}

// Where the file lies, who may open it, and what the picker makes of it.
var codexPlaceRules = [...]Rule{
	{
		ID: "codex-file-name", Agent: agentCodex, Severity: Error, Effect: Refused, Place: true,
		Summary: "the file's name is not rollout-…<uuid>.jsonl: the client does not find it", Remedy: "rename it after its thread", Evidence: cx + ` ("no rollout found for thread id")`,
	},
	{
		ID: "codex-compressed", Agent: agentCodex, Severity: Info, Effect: Harmless, Place: true,
		Summary: "the file is compressed; the client unpacks it when it resumes", Remedy: "nothing to do", Evidence: cx,
	},
	{
		ID: "codex-compressed-name", Agent: agentCodex, Severity: Error, Effect: Refused, Place: true,
		Summary: "the name does not say whether the file is compressed: the client cannot read it", Remedy: "end the name with .jsonl.zst if it is compressed, else with .jsonl", Evidence: cx + " (both ways)",
	},
	{
		ID: "codex-archived", Agent: agentCodex, Severity: Error, Effect: Refused, Place: true,
		Summary: "the thread is archived", Remedy: "run codex unarchive with its id", Evidence: cx + ` ("session … is archived")`,
	},
	{
		ID: "codex-live-lock", Agent: agentCodex, Severity: Warning, Effect: Harmless, Place: true,
		Summary: "a lock says that a Codex process has the thread open: until that has ended a second one is refused", Remedy: "end the other session first; a lock that a crash left behind does not hinder",
		Evidence: cx + ` (held: "already has an active …"; left behind: resumes)`,
	},
	{
		ID: "codex-model-provider", Agent: agentCodex, Severity: Warning, Effect: Unlisted, Place: true,
		Summary: "the thread names a model provider: it is listed and resumes only while that is the active one", Remedy: "configure that provider, or repair to leave the choice to the client",
		Repair: "the provider is taken out", Evidence: cx + "; openai/codex#20165",
	},
	{
		ID: "codex-no-provider", Agent: agentCodex, Severity: Warning, Effect: Harmless, Place: true,
		Summary: "the thread names no model provider: where Codex was used before the thread came, its terminal takes no prompt for it", Remedy: "resume it once with codex exec resume, or repair",
		Repair: "the provider is named", Evidence: cx + ` ("This chat uses model provider “”, which is no longer configured"); pchalasani/claude-code-tools#143`,
	},
	{
		ID: "codex-provider-mismatch", Agent: agentCodex, Severity: Error, Effect: Refused,
		Summary: "the thread's model provider is not the active one", Remedy: "make it the active one, or repair to leave the choice to the client", Repair: "the provider is taken out",
		Evidence: cx + ` ("Cannot change this thread's model provider", "no longer configured")`,
	},
	{
		ID: "codex-hidden-source", Agent: agentCodex, Severity: Warning, Effect: Unlisted, Place: true,
		Summary: "the thread's source is none that the picker shows", Remedy: "resume it by its id", Evidence: cx + " (thread/list: cli, vscode, absent and custom atlas are shown; exec, mcp, subagents and unknown words are not)",
	},
	{
		ID: "codex-listing-window", Agent: agentCodex, Severity: Warning, Effect: Unlisted,
		Summary: "no prompt is shown by an event within the first 210 lines: the picker leaves the thread out", Remedy: "resume it by its id, or repair",
		Repair: "an event that shows the first prompt is put near the beginning", Evidence: cx + " (thread/list: line 210 is seen, line 211 is not); openai/codex#21619, #22997",
	},
	{
		ID: "codex-no-events", Agent: agentCodex, Severity: Warning, Effect: Unlisted,
		Summary: "no event shows a message: the picker leaves the thread out and the screen stays empty", Remedy: "resume it by its id, or repair",
		Repair: "an event that shows the first prompt is put near the beginning", Evidence: cx + " (thread/list)",
	},
	{
		ID: "codex-no-items", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "the messages stand in events only, which the model never sees", Remedy: "repair makes items of them", Repair: "each message gets an item beside its event", Evidence: cx,
	},
}
