package osx

// ProcessAlive tells whether a process of this id runs now, whoever owns it.
// Doubt counts as alive; a process that has ended and waits to be collected
// by its parent does not, where the system tells. Ids are used again: the
// process may be another than the one that was meant.
func ProcessAlive(pid int) bool {
	return pid > 0 && processAlive(pid)
}
