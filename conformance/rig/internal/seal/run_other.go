//go:build !unix

package seal

import (
	"fmt"
	"os"
)

// Run reports that this system has no boxes.
func Run(Spec) int {
	fmt.Fprintln(os.Stderr, "box: the rig needs a Unix system")
	return 125
}
