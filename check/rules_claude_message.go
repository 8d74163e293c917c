package check

// What a single message holds.
var claudeMessageRules = [...]Rule{
	{
		ID: "claude-no-content", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "a message has no usable content and is left out", Remedy: "nothing to do, unless a block without its list is there: repair puts it into one", Repair: "a block without its list is put into one; else the record becomes a notice in its place", Evidence: cc,
	},
	{
		ID: "claude-wrong-role", Agent: agentClaude, Severity: Info, Effect: Harmless,
		Summary: "the role of a message is not that of its record's type; the type counts", Remedy: "nothing to do", Repair: "the role is set", Evidence: cc,
	},
	{
		ID: "claude-starts-with-assistant", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the history begins with an answer, and is sent unchanged", Remedy: "repair puts a message before it", Repair: "a user message is put first",
		Evidence: cc + " sends it; api",
	},
	{
		ID: "claude-empty-text", Agent: agentClaude, Severity: Warning, Effect: Harmless,
		Summary: "a text block is empty: the client leaves it out, older ones send it and the API refuses it", Remedy: "repair removes it", Repair: "the block is removed", Evidence: cc,
	},
	{
		ID: "claude-blank-text", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "a text of nothing but white space is sent unchanged", Remedy: "repair removes it", Repair: "the block is removed, a message of nothing else is filled in",
		Evidence: cc + " sends it (a user message that is a blank string; a blank block beside others in an answer); api",
	},
	{
		ID: "claude-input-not-object", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the input of a tool call is no object, and is sent unchanged", Remedy: "repair wraps it", Repair: `it becomes {"input": …}`,
		Evidence: cc + " sends it; api; Dicklesworthstone/cross_agent_session_resumer PR 13",
	},
	{
		ID: "claude-illegal-call-id", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the id of a tool call has characters other than letters, digits, _ and -, or none, and is sent unchanged", Remedy: "repair renames it",
		Repair: "it is renamed in call and result", Evidence: cc + " sends it; api",
	},
	{
		ID: "claude-illegal-tool-name", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the name of a called tool has characters other than letters, digits, _ and -, or none, or more than 128, and is sent unchanged", Remedy: "repair renames it",
		Repair: "other characters become _", Evidence: cc + " sends it; api",
	},
	{
		ID: "claude-foreign-block", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "a content block has another vendor's type, and is sent unchanged", Remedy: "repair gives it the type of this format",
		Repair: "it becomes a text or image block", Evidence: cc + " sends it; api",
	},
	{
		ID: "claude-image-type", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the media type of an image is not that of its data, or none that the API takes, and is sent unchanged", Remedy: "repair corrects it, or removes the image",
		Repair: "it becomes that of the data; an image that is no PNG, JPEG, GIF or WebP becomes a text that says so", Evidence: cc + " sends it; api; anthropics/claude-code#34517",
	},
	{
		ID: "claude-image-data", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the data of an image is empty or no base64, and is sent unchanged", Remedy: "repair removes the image",
		Repair: "the image becomes a text that says so", Evidence: cc + " sends it; api; anthropics/claude-code#22230",
	},
	{
		ID: "claude-result-in-answer", Agent: agentClaude, Severity: Error, Effect: HistoryLost,
		Summary: "a tool result stands in an answer: it is dropped", Remedy: "repair moves it to a user message", Repair: "it gets a user record of its own", Evidence: cc,
	},
	{
		ID: "claude-call-in-user", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "a tool call stands in a user message, and is sent unchanged", Remedy: "repair moves it to an answer", Repair: "it gets an assistant record of its own", Evidence: cc + " sends it and drops the result; api",
	},
	{
		ID: "claude-unsigned-thinking", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "thinking has no signature: the client sends it, whichever model it names, and the API refuses it", Remedy: "repair drops the thinking; it cannot be signed", Repair: "the block is dropped",
		Evidence: cc + " sends it; api; anthropics/claude-code#63155",
	},
	{
		ID: "claude-placeholder-signature", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the signature of thinking is a placeholder: the client sends it, the API refuses it", Remedy: "repair drops the thinking; it cannot be signed", Repair: "the block is dropped",
		Evidence: cc + " sends it; api",
	},
	{
		ID: "claude-foreign-signature", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "the signature of thinking, or redacted thinking, was issued by another vendor: the client sends it, the API refuses it",
		Remedy:  "go on through the gateway that sealed it, or repair to drop the thinking", Repair: "the block is dropped", Evidence: cc + " sends it; api",
	},
	{
		ID: "claude-foreign-thinking", Agent: agentClaude, Severity: Warning, Effect: Harmless,
		Summary: "thinking of another vendor's model: the client leaves it out, older ones send it and the API refuses it", Remedy: "repair drops it",
		Repair: "the block is dropped", Evidence: cc + "; anthropics/claude-code#63155 (older clients)",
	},
	{
		ID: "claude-ends-in-thinking", Agent: agentClaude, Severity: Error, Effect: VendorRefuses,
		Summary: "an answer ends in thinking, and is sent unchanged", Remedy: "repair drops the thinking at its end", Repair: "the block is dropped", Evidence: cc + " sends it; anthropics/claude-code#10199",
	},
	{
		ID: "claude-api-error", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "an error message of the API is kept as an answer of the model, and sent as one", Remedy: "repair drops it", Repair: "the record becomes a notice in its place",
		Evidence: cc + " (left out where the record says so and its model is <synthetic>, or at the end; else sent); anthropics/claude-code#2105",
	},
	{
		ID: "claude-foreign-model", Agent: agentClaude, Severity: Warning, Effect: PartLost,
		Summary: "the model that answered last is none of the vendor's: the client says that it could not be restored and takes its default", Remedy: "choose the model again after resuming",
		Evidence: cc,
	},
}
