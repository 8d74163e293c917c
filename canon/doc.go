// Package canon is the kernel: the one form in which Crosswalk holds a session
// or a request on its way from one agent or wire protocol to another.
//
// A [Thread] is a header; its messages come as a stream. A [Message] is the
// smallest unit that some dialect gives an id of its own, and holds [Block]
// values: text, images, reasoning, tool calls, tool results. System and
// developer text are messages at their place. Nothing is grouped beyond that:
// one API message over several lines, a flat list of items and a list of parts
// are regroupings of the same list, done by each codec.
//
// What a conversion cannot carry is a [Loss], and a [Report] has to balance:
// per kind, ingested + synthesized = emitted + dropped.
//
// JSON that nobody needs to understand stays raw, strings move as the literal
// they were read as ([Text]), and members that no type models travel in [Ext].
// Equality is that of decoded values, see [Digester].
//
// Start with [Message]. The package does no I/O and imports the standard library and internal/jsonx
// only. It is part of the supported library.
package canon
