package codemode

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

const (
	toolsObject = "tools"
	shellTool   = "exec_command"
	// shellMember holds the command line in the argument of shellTool.
	shellMember = "cmd"
	// maxScript is how long a script may be that is looked into, in bytes.
	maxScript = 256 << 10
)

// Commands returns the shell commands that a script runs, in the order in which
// they stand there: those that are written out as one string. It returns nil for
// text that is no script and for a script of more than 256 KB.
func Commands(script string) []string {
	if len(script) > maxScript || !strings.Contains(script, shellTool) {
		return nil
	}
	ast, err := js.Parse(parse.NewInputString(script), js.Options{})
	if err != nil {
		return nil
	}
	var v visitor
	js.Walk(&v, ast)
	return v.commands
}

type visitor struct{ commands []string }

// Enter implements [js.IVisitor].
func (v *visitor) Enter(n js.INode) js.IVisitor {
	call, ok := n.(*js.CallExpr)
	if !ok || !isShell(call.X) || len(call.Args.List) == 0 {
		return v
	}
	argument, ok := call.Args.List[0].Value.(*js.ObjectExpr)
	if !ok {
		return v
	}
	for _, p := range argument.List {
		if p.Name == nil || p.Name.IsComputed() || nameOf(&p.Name.Literal) != shellMember {
			continue
		}
		if command, ok := literal(p.Value); ok {
			v.commands = append(v.commands, command)
		}
	}
	return v
}

// Exit implements [js.IVisitor].
func (v *visitor) Exit(js.INode) {}

// isShell reports whether e is tools.exec_command.
func isShell(e js.IExpr) bool {
	var member string
	object := js.IExpr(nil)
	switch e := e.(type) {
	case *js.DotExpr:
		if name, ok := e.Y.(js.LiteralExpr); ok {
			object, member = e.X, string(name.Data)
		}
	case *js.IndexExpr:
		if name, ok := literal(e.Y); ok {
			object, member = e.X, name
		}
	}
	v, ok := object.(*js.Var)
	return ok && member == shellTool && string(v.Data) == toolsObject
}

// nameOf returns the name of a member, which may stand in quotes.
func nameOf(l *js.LiteralExpr) string {
	if l.TokenType == js.StringToken {
		s, _ := unquote(string(l.Data))
		return s
	}
	return string(l.Data)
}

// literal returns the value of a string that is written out.
func literal(e js.IExpr) (string, bool) {
	switch e := e.(type) {
	case *js.LiteralExpr:
		if e.TokenType == js.StringToken {
			return unquote(string(e.Data))
		}
	case *js.TemplateExpr:
		if e.Tag == nil && len(e.List) == 0 {
			return unquote(string(e.Tail))
		}
	case *js.GroupExpr:
		return literal(e.X)
	}
	return "", false
}
