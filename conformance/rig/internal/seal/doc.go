// Package seal is the inside of a sealed box: the first process of fresh
// network, process and mount namespaces. It brings loopback up, hides the
// folders it was told to hide, starts the scripted upstream and an optional
// sidecar, runs one command and reports how that ended. Everything started
// inside dies with it.
//
// The outside of the box, which creates the namespaces, is
// [github.com/crosswalk-agents/crosswalk/conformance/rig].
//
// It may import the standard library and golang.org/x/sys. Start with [Spec]
// and [Run].
package seal
