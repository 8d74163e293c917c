// Package visible shows text from a session so that it cannot deceive: control
// characters, which drive terminals, characters that change the direction of
// text and those that cannot be seen come out as escapes such as \x1b or \u202e.
//
// Everything from a session that is printed or put on a page goes through
// [Text] or [Line]; start with [Text]. The package may import the standard library only.
package visible
