package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crosswalk-agents/crosswalk/agent"
	"github.com/crosswalk-agents/crosswalk/handoff"
)

// convertOptions are those of `crosswalk convert`.
type convertOptions struct {
	*app
	file, to, from, out string
	json                bool
	o                   handoff.Options
}

func newConvert(a *app) *cobra.Command {
	o := &convertOptions{app: a}
	cmd := &cobra.Command{
		Use:   "convert FILE --to AGENT [-o OUT]",
		Short: "Convert a session file into another agent's format",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.file = args[0]
			return o.convert(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.to, "to", "", "the agent to write for")
	f.StringVar(&o.from, "from", "", "the agent that wrote FILE (recognised if not given)")
	f.StringVarP(&o.out, "output", "o", "", "the file to write")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	f.StringVar(&o.o.ID, "id", "", "the new session's id")
	return cmd
}

func (o *convertOptions) convert(ctx context.Context) error {
	dst, err := o.agent(o.to)
	if err != nil {
		return err
	}
	w, ok := dst.(agent.Writer)
	if !ok {
		return usagef("%s sessions can be read, not written", o.to)
	}
	src, err := o.source(ctx)
	if err != nil {
		return err
	}
	res, err := handoff.Convert(ctx, src, o.file, w, o.out, o.o)
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(o.app.out)
		e.SetEscapeHTML(false)
		return e.Encode(res)
	}
	fmt.Fprintln(o.app.out, res.Target.Path)
	return nil
}

// source returns the agent that wrote the file.
func (o *convertOptions) source(ctx context.Context) (agent.Agent, error) {
	if o.from != "" {
		return o.agent(o.from)
	}
	var errs []error
	for _, a := range o.agents {
		s, err := a.Open(ctx, o.file, agent.OpenOptions{})
		if err == nil {
			return a, s.Close()
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
