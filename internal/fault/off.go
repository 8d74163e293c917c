//go:build !(crosswalk_faults && unix)

package fault

// Point marks a moment: its name, and the file or folder that it concerns.
func Point(name, path string) {}
