package scripted

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Listen opens a TCP listener on the loopback interface and refuses any other
// address: the server has no authentication. Addr is host:port, port 0 picks one.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && !ip.IsLoopback() {
		return nil, fmt.Errorf("listen on %q: not a loopback address; use 127.0.0.1:0", addr)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", addr, err)
	}
	if err := loopbackOnly(ln); err != nil { // "localhost" is what the resolver says
		return nil, errors.Join(err, ln.Close())
	}
	return ln, nil
}

func loopbackOnly(ln net.Listener) error {
	tcp, ok := ln.Addr().(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return fmt.Errorf("serve on %q: not a loopback address", ln.Addr())
	}
	return nil
}

// ListenAndServe is [Listen] and [Server.Serve].
func (s *Server) ListenAndServe(ctx context.Context, addr string) error {
	ln, err := Listen(ctx, addr)
	if err != nil {
		return err
	}
	return s.Serve(ctx, ln)
}

// Serve answers on ln, which it closes, until ctx ends. Running answers then have
// Options.Grace to finish; when it returns, all have ended. The end of ctx is no
// error. With Options.Record the file .ready holds the process id and the address,
// a line each, while it serves.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	if err := loopbackOnly(ln); err != nil {
		return errors.Join(err, ln.Close())
	}
	// Answers end with the server, not with ctx: that only starts the grace.
	answers, endAnswers := context.WithCancel(context.WithoutCancel(ctx))
	defer endAnswers()
	srv := &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return answers },
		ReadHeaderTimeout: 10 * time.Second,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()

	err := s.writeReady(ln.Addr())
	stopped := false
	if err == nil {
		select {
		case err = <-served:
			stopped = true
		case <-ctx.Done():
		}
	}
	grace, endGrace := context.WithTimeout(answers, s.opt.Grace)
	defer endGrace()
	if srv.Shutdown(grace) != nil {
		endAnswers()
		_ = srv.Close() // cuts what is left; its error is that of a closed socket
	}
	if !stopped {
		<-served
	}
	s.active.wait()
	return errors.Join(err, s.removeReady())
}

func (s *Server) readyFile() string { return filepath.Join(s.opt.Record, ".ready") }

func (s *Server) writeReady(addr net.Addr) error {
	if s.opt.Record == "" {
		return nil
	}
	return writeFile(s.readyFile(), fmt.Appendf(nil, "%d\n%s\n", os.Getpid(), addr))
}

func (s *Server) removeReady() error {
	if s.opt.Record == "" {
		return nil
	}
	if err := os.Remove(s.readyFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove ready file: %w", err)
	}
	return nil
}
