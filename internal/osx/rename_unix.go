//go:build unix && !linux && !darwin

package osx

func renameNoReplace(oldpath, newpath string) error {
	return linkRename(oldpath, newpath)
}
