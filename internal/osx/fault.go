package osx

// IsDiskFull tells whether err means that the file system, or the share of it
// that this user may fill, has no room left.
func IsDiskFull(err error) bool {
	return isDiskFull(err)
}

// IsTooLarge tells whether err means that a file would grow past what its
// file system or the process's own limit (ulimit -f) allows.
func IsTooLarge(err error) bool {
	return isTooLarge(err)
}

// IsReadOnly tells whether err means that the file system is mounted
// read-only.
func IsReadOnly(err error) bool {
	return isReadOnly(err)
}
