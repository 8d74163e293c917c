// Package xdg finds Crosswalk's own folder: CROSSWALK_HOME if it is set, else
// the place of the XDG base directory specification. It may import the
// standard library only. Start with [State].
package xdg
