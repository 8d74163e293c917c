// Package atomicfile writes files that are either complete or not there.
//
// It may import the standard library, internal/osx and internal/fault only.
//
// Start with [Writer]: [Create] makes one for a new file, [Replace] one for
// the next version of a file of ours. What is written goes to a temporary
// file in the same folder; [Writer.Commit] makes it durable and gives it its
// name in one step. Until then nobody sees it, and after a failure, at
// whatever step, nothing of it is left: neither the temporary file nor the
// folders made for it.
//
// Only a process killed outright leaves its temporary file behind. Its name
// starts with a dot and ends in ".tmp", so that no agent takes it for a
// session, and the next one to write in that folder removes it, see [Sweep].
//
// The owner of a replaced file is not kept: the new one belongs to whoever
// writes it. Two writers of one file that read it first need a lock of their
// own (osx.Lock) around both steps.
package atomicfile
