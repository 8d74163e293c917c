//go:build !linux && !darwin

package measure

import "os"

func maxRSS(*os.ProcessState) int64 { return 0 }
