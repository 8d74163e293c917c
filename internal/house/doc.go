// Package house states how the module is laid out and checks it.
//
// [House] is the one statement of the layers: which package stands on which floor and what it may
// import. The tests of this package compare every file of the module with it, and the depguard rules
// in .golangci.yml are written from it, so a wrong import is shown both while editing and in the tests.
//
// Beside the arrows it checks what a reader may take for granted in every package: no init functions
// and no work before main, a doc.go that names what the package may import, files of at most
// [MaxLines] lines, and JSON that is never decoded into maps of any.
//
// It may import the standard library only, and no other package imports it. Start with [Row].
package house
