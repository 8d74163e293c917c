package check

// What a single item holds.
var codexItemRules = [...]Rule{
	{
		ID: "codex-arguments-not-string", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "the arguments of a call are no string: the call is lost, and its output with it", Remedy: "repair writes them as a string", Repair: "they are written as a string", Evidence: cx + "; Dicklesworthstone/cross_agent_session_resumer#4",
	},
	{
		ID: "codex-output-kind", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "the output of a call is neither a string nor a list of input items: it is lost", Remedy: "repair writes it as a string", Repair: "it is written as a string", Evidence: cx + " (object, null, number, foreign items)",
	},
	{
		ID: "codex-item-shape", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "an item lacks what its type demands: the line is lost", Remedy: "repair brings it into the form", Repair: "text is brought into the form; what cannot be is dropped",
		Evidence: cx + " (content a string or of foreign parts; role, name, call_id, summary missing)",
	},
	{
		ID: "codex-unknown-item", Agent: agentCodex, Severity: Warning, Effect: PartLost,
		Summary: "an item has a type that the client does not know, and is left out", Remedy: "update the client, if a later one wrote it", Evidence: cx,
	},
	{
		ID: "codex-message-role", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "the role of a message is none of user, assistant, developer and system, and is sent unchanged", Remedy: "repair makes it a user message", Repair: "the role becomes user", Evidence: cx + " sends it; api",
	},
	{
		ID: "codex-content-side", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "an answer holds input_text, or another message output_text, and is sent unchanged", Remedy: "repair changes the type", Repair: "the type is changed after the role", Evidence: cx + " sends it; api",
	},
	{
		ID: "codex-illegal-call-id", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "the id of a call is empty or has more than 64 bytes, and is sent unchanged", Remedy: "repair renames it", Repair: "it is renamed in call and output", Evidence: cx + " sends it; api",
	},
	{
		ID: "codex-illegal-tool-name", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "the name of a called tool has characters other than letters, digits, _ and -, or none, or more than 64, and is sent unchanged", Remedy: "repair renames it", Repair: "other characters become _", Evidence: cx + " sends it; api",
	},
	{
		ID: "codex-foreign-reasoning", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "reasoning in a rollout that Codex did not write: the client sends it, the API refuses it", Remedy: "repair drops it", Repair: "the item is dropped",
		Evidence: cx + " sends it; openai/codex#13724, #8119",
	},
	{
		ID: "codex-bare-reasoning", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "reasoning has no encrypted content: the client sends it, the API refuses it", Remedy: "repair drops it", Repair: "the item is dropped", Evidence: cx + " sends it; openai/codex#19661",
	},
	{
		ID: "codex-placeholder-reasoning", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "the encrypted content of reasoning is a placeholder: the client sends it, the API refuses it", Remedy: "repair drops it", Repair: "the item is dropped", Evidence: cx + " sends it; api",
	},
	{
		ID: "codex-foreign-capsule", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "the encrypted content of reasoning was issued by another vendor: the client sends it, the API refuses it",
		Remedy:  "go on through the gateway that sealed it, or repair to drop it", Repair: "the item is dropped", Evidence: cx + " sends it; api",
	},
	{
		ID: "codex-long-output", Agent: agentCodex, Severity: Warning, Effect: PartLost,
		Summary: "the output of a call is longer than 48,000 bytes: the client cuts its middle out when it resumes", Remedy: "have the model read the file again", Evidence: cx,
	},
	{
		ID: "codex-image", Agent: agentCodex, Severity: Warning, Effect: PartLost,
		Summary: "an image cannot be sent: the client puts a text in its place, older ones send it and the API refuses it", Remedy: "repair mends its base64, or removes it; have the model look at the file again",
		Repair:   "its base64 is written with padding and without line breaks; what is no image that the client takes becomes a text that says so",
		Evidence: cx + " (no base64, none, without padding, with line breaks; BMP, SVG; an address); openai/codex#22886, #32287 (older clients)",
	},
	{
		ID: "codex-no-replacement", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "a compaction has no replacement_history: answers, calls and outputs before it are lost", Remedy: "repair takes the compaction back", Repair: "its summary becomes a message, and what stands before it is sent again", Evidence: cx,
	},
}

// How calls and their outputs pair.
var codexPairRules = [...]Rule{
	{
		ID: "codex-unanswered-call", Agent: agentCodex, Severity: Info, Effect: Harmless,
		Summary: `a call has no output; the client answers it with "aborted"`, Remedy: "nothing to do", Repair: "an output that says so is put behind it", Evidence: cx + "; openai/codex#29773",
	},
	{
		ID: "codex-orphan-output", Agent: agentCodex, Severity: Error, Effect: HistoryLost,
		Summary: "an output has no call of its kind: it is dropped", Remedy: "repair keeps it as text", Repair: "it becomes a marked message", Evidence: cx + " (no call; a function output for a custom call and the reverse); can1357/oh-my-pi#472",
	},
	{
		ID: "codex-repeated-call-id", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "two calls have one id, and are sent so", Remedy: "repair renames the second", Repair: "the second is renamed in call and output", Evidence: cx + " sends them; api",
	},
	{
		ID: "codex-repeated-output", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "a call has a second output, and both are sent", Remedy: "repair keeps it as text", Repair: "it becomes a marked message", Evidence: cx + " sends both; api",
	},
	{
		ID: "codex-output-before-call", Agent: agentCodex, Severity: Error, Effect: VendorRefuses,
		Summary: "an output stands before its call, and is sent unchanged", Remedy: "repair moves it behind its call", Repair: "it is moved behind its call", Evidence: cx + " sends it; api",
	},
}
