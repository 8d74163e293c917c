package seal

// File descriptors that the box inherits beside the standard three.
const (
	// LifelineFD is the read end of a pipe whose write end the parent keeps
	// open. When it closes, the parent is gone and the box ends itself.
	LifelineFD = 3
	// ReportFD is the write end of a pipe that takes one [Report].
	ReportFD = 4
)

// A Spec says what happens inside one box.
type Spec struct {
	// Sealed is true when the parent created the namespaces. When false the box
	// only runs and ends processes; it hides nothing.
	Sealed bool
	// Hide names folders that are replaced by an empty file system.
	Hide []string
	// Keep names files and folders that stay visible inside hidden folders.
	Keep []string
	// Services are started in order, each awaited, before the command.
	Services []Service
	// Argv, Env and Dir describe the command. Env is the whole environment.
	Argv []string
	Env  []string
	Dir  string
	// User runs the command as another user when it is set.
	User *User
	// TTY says that standard input is a terminal that the command is to control.
	TTY bool
}

// A Service is a process that runs beside the command.
type Service struct {
	Name string
	Argv []string
	Env  []string
	Dir  string
	// Log is the file that takes the output.
	Log string
	// Addr is the TCP address the service listens on once it is ready; empty
	// means nothing is awaited.
	Addr string
}

// A User is the numeric owner of a process.
type User struct{ UID, GID int }

// A Report is what the box tells its parent: exactly one of Err and Ended.
type Report struct {
	// Err is a failure of the box itself.
	Err string `json:",omitempty"`
	// Ended is true when the command ran and ended.
	Ended bool
	// ExitCode is the command's exit code, or 128 plus the signal number.
	ExitCode int
}
