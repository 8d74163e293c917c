//go:build windows

package osx

import (
	"errors"

	"golang.org/x/sys/windows"
)

func processAlive(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	event, err := windows.WaitForSingleObject(h, 0)
	if cerr := windows.CloseHandle(h); cerr != nil {
		return true
	}
	return err != nil || event != windows.WAIT_OBJECT_0
}
