package canonical

import (
	"time"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// The members that tell the lines apart.
const (
	versionMember = "crosswalk"
	threadMember  = "thread"
	messageType   = "message"
)

// thread appends the header's thread. The names are those of canon's own tags.
func (l *line) thread(t *canon.Thread) {
	l.open(threadMember, '{')
	l.text("id", t.ID)
	l.text("agent", t.Agent)
	l.text("title", t.Title)
	l.text("cwd", t.Dir)
	if t.Git != (canon.Git{}) {
		l.open("git", '{')
		l.text("branch", t.Git.Branch)
		l.text("commit", t.Git.Commit)
		l.text("dirty", t.Git.Dirty)
		l.close('}')
	}
	l.text("model", t.Model)
	l.text("client_version", t.ClientVersion)
	l.time("created", t.Created)
	l.time("updated", t.Updated)
	if o := t.Origin; o != nil {
		l.open("origin", '{')
		l.text("agent", o.Agent)
		l.text("id", o.ID)
		l.text("message", o.Message)
		l.close('}')
	}
	l.text("forked_from", t.ForkedFrom)
	l.close('}')
}

// thread reads the header's thread.
func (r *reader) thread(d *jsonx.Decoder) (t canon.Thread) {
	for name := range d.Members() {
		switch string(name) {
		case "id":
			t.ID = d.OptStr()
		case "agent":
			t.Agent = d.OptStr()
		case "title":
			t.Title = d.OptStr()
		case "cwd":
			t.Dir = d.OptStr()
		case "git":
			t.Git = r.git(d)
		case "model":
			t.Model = d.OptStr()
		case "client_version":
			t.ClientVersion = d.OptStr()
		case "created":
			t.Created = r.time(d)
		case "updated":
			t.Updated = r.time(d)
		case "origin":
			t.Origin = r.origin(d)
		case "forked_from":
			t.ForkedFrom = d.OptStr()
		default:
			r.unknown++
		}
	}
	return t
}

func (r *reader) git(d *jsonx.Decoder) (g canon.Git) {
	for name := range r.members(d) {
		switch string(name) {
		case "branch":
			g.Branch = d.OptStr()
		case "commit":
			g.Commit = d.OptStr()
		case "dirty":
			g.Dirty = d.OptStr()
		default:
			r.unknown++
		}
	}
	return g
}

func (r *reader) origin(d *jsonx.Decoder) *canon.Origin {
	if d.Kind() != jsonx.Object {
		r.skip(d)
		return nil
	}
	o := new(canon.Origin)
	for name := range d.Members() {
		switch string(name) {
		case "agent":
			o.Agent = d.OptStr()
		case "id":
			o.ID = d.OptStr()
		case "message":
			o.Message = d.OptStr()
		default:
			r.unknown++
		}
	}
	return o
}

// time reads a time; zero for what is none.
func (r *reader) time(d *jsonx.Decoder) time.Time {
	t := d.OptTime()
	if t.IsZero() {
		r.unknown++
	}
	return t
}
