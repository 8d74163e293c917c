package rig

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"time"
)

// A Session is what a real client wrote.
type Session struct {
	// Home and Work are the folders the client ran in.
	Home, Work string
	// ID is the client's id of the session, Path the file it last wrote to.
	ID, Path string
	// Results are the runs that made it, one for each step.
	Results []Result
}

// Requests returns what the model was asked in all steps.
func (s Session) Requests() []Request {
	var all []Request
	for _, r := range s.Results {
		all = append(all, r.Requests...)
	}
	return all
}

// seedOf makes the ids of a step its own, and the same in every session.
func seedOf(step int) string { return fmt.Sprintf("s%d", step+1) }

// killPause is how long a client whose answer is delayed is given to write down
// what it has, before it is killed.
const killPause = 500 * time.Millisecond

// finish waits for a run. With killAfter, the client is killed while it waits
// for the answer to that request (counted from 1), which the script delays.
func finish(ctx context.Context, p *Process, killAfter int) (Result, error) {
	if killAfter == 0 {
		res, err := p.Wait()
		if err == nil && res.ExitCode != 0 {
			err = fmt.Errorf("exit code %d: %s%s", res.ExitCode, res.Stdout, res.Stderr)
		}
		return res, err
	}
	waitErr := p.AwaitRequests(ctx, killAfter)
	if waitErr == nil {
		time.Sleep(killPause)
	}
	p.Kill()
	res, err := p.Wait()
	if waitErr != nil {
		err = waitErr
	}
	return res, err
}

// writeFiles puts files into the work folder before a session begins.
func writeFiles(work string, files map[string][]byte) error {
	for name, data := range files {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// newUUID returns a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// PNG returns a small image of one colour.
func PNG(c color.Color) []byte {
	const side = 16
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		img.Set(i%side, i/side, c)
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		panic(err) // a valid image always encodes
	}
	return buf.Bytes()
}
