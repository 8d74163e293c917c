package house

import (
	"strings"
	"testing"
)

// root is the module's root seen from this package.
const root = "../.."

func report(t *testing.T, got []Violation) {
	t.Helper()
	for _, v := range got {
		t.Error(v)
	}
}

func TestEveryPackageImportsOnlyWhatItsRowNames(t *testing.T) {
	tree, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Packages) < 5 {
		t.Fatalf("only %d packages found below %q", len(tree.Packages), root)
	}
	report(t, Arrows(tree, House))
}

func TestEveryPackageIsWrittenByTheHouseRules(t *testing.T) {
	tree, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	report(t, Sources(tree, House))
}

func TestLightPackagesLinkOnlyWhatTheyMay(t *testing.T) {
	tree, err := Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			list, err := List(t.Context(), root, goos)
			if err != nil {
				t.Fatal(err)
			}
			report(t, Linked(tree, House, Links, list))
		})
	}
}

// The table itself has to be what the picture of the house says.
func TestTable(t *testing.T) {
	for _, r := range House {
		name := r.Packages[0]
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			if r.Floor == Leaf && len(r.Modules) > 1 {
				t.Errorf("a leaf has at most one module, %s has %q", name, r.Modules)
			}
			for _, p := range r.Imports {
				if p == "leaves" {
					continue
				}
				to := find(House, sample(p))
				switch {
				case to.Row == nil:
					t.Errorf("imports %q, which has no row", p)
				case to.Floor > r.Floor:
					t.Errorf("imports %q from floor %d, above its own floor %d", p, to.Floor, r.Floor)
				case to.Floor == r.Floor && r.Floor == Service && !strings.HasPrefix(name, p):
					t.Errorf("imports the service %q: services meet in internal/cli", p)
				}
			}
		})
	}
}

// sample is a path that a pattern of Imports matches.
func sample(pattern string) string {
	p := strings.TrimSuffix(pattern, "/**")
	return strings.NewReplacer("*", "some", "{id}", "some").Replace(p)
}
