// Package measure runs programs side by side and compares what they cost, on
// machines that do other things at the same time: every figure is a ratio to a
// unit that ran in the same rounds, of the least that each was seen to need. A
// unit that cost much more in one round than in another says that the machine
// was not quiet, and voids the figure.
//
// It may import the standard library only. Start with [Race] and [Row].
package measure
