package journal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crosswalk-agents/crosswalk/internal/journal"
)

// With these in its environment the test binary is a process that appends
// count turns of its own to the journal in a folder, or, with count 0, large
// ones until it is killed.
const (
	writerDirEnv   = "CROSSWALK_TEST_WRITER_DIR"
	writerFirstEnv = "CROSSWALK_TEST_WRITER_FIRST"
	writerCountEnv = "CROSSWALK_TEST_WRITER_COUNT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerDirEnv); dir != "" {
		if err := appendAsProcess(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func appendAsProcess(dir string) error {
	first, err := strconv.Atoi(os.Getenv(writerFirstEnv))
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(os.Getenv(writerCountEnv))
	if err != nil {
		return err
	}
	j, err := journal.New(dir, journal.Sync(count%2 == 1))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if count == 0 {
		fmt.Println("ready")
		for {
			if err := j.Append(ctx, "turn", turn{N: first, Text: strings.Repeat("x", 1<<20)}); err != nil {
				return err
			}
		}
	}
	for n := first; n < first+count; n++ {
		size := []int{10, 5_000, 70_000}[n%3]
		if err := j.Append(ctx, "turn", turn{N: n, Text: strings.Repeat("x", size)}); err != nil {
			return err
		}
	}
	return nil
}

func writerCommand(t *testing.T, dir string, first, count int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0",
		writerDirEnv+"="+dir, writerFirstEnv+"="+strconv.Itoa(first), writerCountEnv+"="+strconv.Itoa(count))
	return cmd
}

func TestProcessesAppendAtOnceWhileOthersRead(t *testing.T) {
	dir := t.TempDir()
	const writers, each = 8, 41 // an odd count: with fsync
	var running []*exec.Cmd
	for i := range writers {
		cmd := writerCommand(t, dir, 1+i*each, each)
		must(t, cmd.Start())
		running = append(running, cmd)
	}
	done := make(chan error, 1)
	go func() {
		var failed []error
		for _, cmd := range running {
			failed = append(failed, cmd.Wait())
		}
		done <- errors.Join(failed...)
	}()

	j := newJournal(t, dir)
	seen := 0
	for reading := true; reading; {
		select {
		case err := <-done:
			must(t, err)
			reading = false
		default:
		}
		forward, damage := collect(t, j.Records(t.Context()))
		if len(forward) < seen || damage != nil {
			t.Fatalf("a reader saw %d records after %d, damage %v", len(forward), seen, damage)
		}
		backward, damage := collect(t, j.Backward(t.Context()))
		if len(backward) < len(forward) || damage != nil {
			t.Fatalf("a reader saw %d records after %d, damage %v", len(backward), len(forward), damage)
		}
		seen = len(backward)
	}
	all, damage := collect(t, j.Records(t.Context()))
	checkOrderOfEachWriter(t, all, each)
	slices.Sort(all)
	if !slices.Equal(all, upTo(writers*each)) || damage != nil {
		t.Errorf("%d records, damage %v", len(all), damage)
	}
	checkTimesAscend(t, j)
}

func checkOrderOfEachWriter(t *testing.T, all []int, each int) {
	t.Helper()
	last := make(map[int]int)
	for _, n := range all {
		writer := (n - 1) / each
		if n <= last[writer] {
			t.Fatalf("record %d comes after %d of the same writer", n, last[writer])
		}
		last[writer] = n
	}
}

func checkTimesAscend(t *testing.T, j *journal.Journal) {
	t.Helper()
	var last time.Time
	for rec, err := range j.Records(t.Context()) {
		must(t, err)
		if rec.Time.Before(last) {
			t.Fatalf("time %v after %v", rec.Time, last)
		}
		last = rec.Time
	}
}

func TestKilledWritersCostNoCompleteRecord(t *testing.T) {
	dir := t.TempDir()
	j := newJournal(t, dir)
	const rounds = 20
	for i := range rounds {
		cmd := writerCommand(t, dir, 0, 0)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(5+11*i) * time.Millisecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		appendTurns(t, j, i+1, i+1)
	}
	got, damage := collect(t, j.Records(t.Context()))
	t.Logf("%d records, %d torn lines", len(got), len(damage))
	mine := slices.DeleteFunc(got, func(n int) bool { return n == 0 })
	if !slices.Equal(mine, upTo(rounds)) || len(damage) > rounds {
		t.Errorf("records %v, damage %v", mine, damage)
	}
}

func TestWriterStoppedInTheMiddleDoesNotStopReaders(t *testing.T) {
	j := damagedJournal(t, recordLine("1")+`{"t":"2026-`)
	segment, err := os.OpenFile(j.Dir()+"/"+damagedDay, os.O_RDWR, 0)
	must(t, err)
	defer segment.Close()
	lock(t, segment)
	if got, damage := collect(t, j.Records(t.Context())); len(got) != 1 || len(damage) != 1 {
		t.Errorf("read %v, %v", got, damage)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := j.Append(ctx, "turn", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Append = %v, want DeadlineExceeded", err)
	}
}
