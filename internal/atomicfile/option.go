package atomicfile

// Point names a moment in the life of a file at which a fault can be put in.
type Point string

// The points, in the order in which they are passed. AfterFirstWrite comes
// when the first bytes have left the process, which a file without content
// never sees; BeforeFsync, AfterFsync and BeforeDirsync come even when
// [Sync] is off.
const (
	AfterTempCreate Point = "after-temp-create"
	AfterFirstWrite Point = "after-first-write"
	BeforeFsync     Point = "before-fsync"
	AfterFsync      Point = "after-fsync"
	BeforeRename    Point = "before-rename"
	AfterRename     Point = "after-rename"
	BeforeDirsync   Point = "before-dirsync"
)

// Option changes how a file is written.
type Option func(*options)

type options struct {
	hook       func(Point) error
	noSync     bool
	followLink bool
}

func newOptions(opts []Option) options {
	o := options{hook: func(Point) error { return nil }}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// Hook calls f at each [Point]. An error from it is taken for the failure of
// the step that follows.
func Hook(f func(Point) error) Option {
	return func(o *options) { o.hook = f }
}

// Sync tells whether the file and its folder are made durable (the default)
// or left to the system: then a killed process loses nothing that was
// committed, a power cut may.
func Sync(on bool) Option {
	return func(o *options) { o.noSync = !on }
}

// FollowLink lets [Replace] replace the file that a symbolic link leads to,
// and leave the link as it is: people keep their settings in a folder of
// their own and link to it. [Create] ignores it.
func FollowLink() Option {
	return func(o *options) { o.followLink = true }
}
