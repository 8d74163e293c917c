package agent

// maxID is how long an id may be that names a session.
const maxID = 128

// IsName reports whether id can name a session on a command line or in a table:
// it has the characters that the ids of all agents are made of, so no shell
// takes it for anything but a word and no program for a flag or a path.
func IsName(id string) bool {
	if len(id) > maxID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && (i == 0 || c != '-' && c != '_' && c != '.') {
			return false
		}
	}
	return id != ""
}
