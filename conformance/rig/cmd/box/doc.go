// Command box is the first process inside a sealed box. The rig starts it in
// fresh namespaces with the name of a file that holds a seal.Spec.
//
// It may import the standard library and conformance/rig/internal/seal only.
package main
