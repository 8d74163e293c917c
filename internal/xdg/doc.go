// Package xdg finds Crosswalk's own folders: CROSSWALK_HOME if it is set, else
// the places of the XDG base directory specification. It may import the
// standard library only. Start with [Dirs].
package xdg
