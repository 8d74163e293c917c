package house

// Row is one line of the house: a set of packages and all they may import besides the standard
// library. Packages are named by their path below the module root:
//
//	canon           that package
//	canon/**        it and everything below it
//	agent/*         one element of any name
//	agent/{id}      the same; {id} in Imports then means the same element
//	leaves          (in Imports) every package of a leaf row that is not Reserved
type Row struct {
	Floor    Floor
	Packages []string
	Imports  []string // packages of this module
	Modules  []string // other modules, by path prefix
	NoStd    []string // standard packages that are refused
	Spoke    string   // family of adapters that never import each other, tests included
	Reserved bool     // importable only by rows that name it, tests included; not among the leaves
	Kit      bool     // test support: may import what tests may, and only tests and kits import it
}

// Floor is a storey of the house. A package imports only from storeys below its own.
type Floor int

// The floors, from the ground up. Aside stands outside: programs that check the module.
const (
	Leaf Floor = iota
	Kernel
	Codec
	Adapter
	Service
	Wiring
	Program
	Aside
)

// House is the table. The first row whose Packages match a package is its row; a package without
// one is a violation.
var House = []Row{
	// floor 5: the two programs.
	{Floor: Program, Packages: []string{"cmd/crosswalk"}, Imports: []string{"internal/cli", "internal/heap"}},
	{Floor: Program, Packages: []string{"cmd/crosswalk-hook"}, Imports: []string{"hook", "hook/run", "agent/hookall", "leaves"}},

	// floor 4: the only place that wires concrete adapters to services.
	{
		Floor: Wiring, Packages: []string{"internal/cli/**"}, Reserved: true,
		Imports: []string{
			"internal/cli/**", "canon/**", "dialect/**", "vocab/**", "hook/**", "agent/**", "handoff/**", "check/**",
			"transcript/**", "gateway/**", "dispatch/**", "hub/**", "mcpserver/**", "store/**", "leaves",
		},
		Modules: []string{
			"github.com/charmbracelet/x/ansi", "github.com/spf13/cobra", "github.com/spf13/pflag", "charm.land/huh/v2", "charm.land/lipgloss/v2",
			"charm.land/bubbles/v2", "charm.land/bubbletea/v2", "golang.org/x/term",
		},
	},

	// floor 3: services. They see contracts (agent, dialect), never a concrete adapter.
	{Floor: Service, Packages: []string{"handoff/**"}, Imports: []string{"handoff/**", "canon", "dialect", "vocab", "agent", "leaves"}},
	{Floor: Service, Packages: []string{"check/**"}, Imports: []string{"check/**", "canon", "agent", "leaves"}},
	{Floor: Service, Packages: []string{"transcript/**"}, Imports: []string{"transcript/**", "canon", "leaves"}, Modules: []string{"github.com/clipperhouse/displaywidth"}},
	{
		Floor: Service, Packages: []string{"gateway/**"}, Imports: []string{"gateway/**", "canon", "dialect", "vocab", "agent", "leaves"},
		Modules: []string{"github.com/coder/websocket", "github.com/klauspost/compress", "github.com/andybalholm/brotli", "github.com/prometheus/client_golang", "github.com/goccy/go-yaml"},
	},
	{Floor: Service, Packages: []string{"hook/registry/**"}, Imports: []string{"hook/registry/**", "hook", "agent", "leaves"}, Modules: []string{"github.com/goccy/go-yaml"}},
	{Floor: Service, Packages: []string{"hook/install/**"}, Imports: []string{"hook/install/**", "hook", "agent", "leaves"}},
	{Floor: Service, Packages: []string{"hook/run/**"}, Imports: []string{"hook/run/**", "hook", "internal/patch", "leaves"}, Modules: []string{"mvdan.cc/sh/v3"}},
	{Floor: Service, Packages: []string{"dispatch/**"}, Imports: []string{"dispatch/**", "canon", "agent", "leaves"}, Modules: []string{"github.com/goccy/go-yaml", "github.com/google/jsonschema-go"}},
	{Floor: Service, Packages: []string{"hub/**"}, Imports: []string{"hub/**", "canon", "agent", "hook", "leaves"}, Modules: []string{"github.com/prometheus/client_golang"}},
	{Floor: Service, Packages: []string{"mcpserver/**"}, Imports: []string{"mcpserver/**", "canon", "agent", "hook", "leaves"}, Modules: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"}},
	{Floor: Service, Packages: []string{"store/**"}, Imports: []string{"store/**", "canon", "leaves"}, Modules: []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5"}},

	// floor 2: agents. The contract and the lists come before the spokes.
	{Floor: Adapter, Packages: []string{"agent"}, Imports: []string{"canon", "dialect", "vocab", "hook", "leaves"}, Modules: []string{"github.com/goccy/go-yaml"}},
	{Floor: Adapter, Packages: []string{"agent/all"}, Imports: []string{"agent", "agent/*"}},
	{Floor: Adapter, Packages: []string{"agent/hookall"}, Imports: []string{"hook", "agent/*/hookcodec"}},
	{Floor: Adapter, Packages: []string{"agent/agenttest"}, Imports: []string{"agent", "canon", "dialect", "leaves"}, Kit: true},
	{Floor: Adapter, Packages: []string{"agent/codex/hookcodec"}, Imports: []string{"hook", "internal/jsonx", "internal/patch"}, Spoke: "agent"},
	{Floor: Adapter, Packages: []string{"agent/{id}/hookcodec"}, Imports: []string{"hook", "internal/jsonx"}, Spoke: "agent"},
	{
		Floor: Adapter, Packages: []string{"agent/{id}/hookfile"}, Imports: []string{"hook", "agent", "leaves"}, Spoke: "agent",
		Modules: []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2"},
	},
	{
		Floor: Adapter, Packages: []string{"agent/codex/**"}, Spoke: "agent",
		Imports: []string{"agent/codex/**", "agent", "canon", "dialect", "dialect/*", "vocab", "hook", "internal/patch", "leaves"},
	},
	{
		Floor: Adapter, Packages: []string{"agent/{id}/**"}, Spoke: "agent",
		Imports: []string{"agent/{id}/**", "agent", "canon", "dialect", "dialect/*", "vocab", "hook", "leaves"},
	},

	// floor 1: wire dialects, the tool vocabulary, hook events and decisions.
	{Floor: Codec, Packages: []string{"dialect"}, Imports: []string{"canon", "leaves"}},
	{Floor: Codec, Packages: []string{"dialect/all"}, Imports: []string{"dialect", "dialect/*"}},
	{Floor: Codec, Packages: []string{"dialect/dialecttest"}, Imports: []string{"canon", "dialect", "leaves"}, Kit: true},
	{Floor: Codec, Packages: []string{"dialect/responses/**"}, Imports: []string{"dialect/responses/**", "dialect", "canon", "internal/patch", "leaves"}, Spoke: "dialect"},
	{Floor: Codec, Packages: []string{"dialect/{id}/**"}, Imports: []string{"dialect/{id}/**", "dialect", "canon", "leaves"}, Spoke: "dialect"},
	{Floor: Codec, Packages: []string{"vocab/**"}, Imports: []string{"vocab/**", "canon", "internal/patch", "leaves"}},
	{Floor: Codec, Packages: []string{"hook"}, Imports: []string{"canon", "leaves"}, NoStd: []string{"os", "os/exec", "net", "net/http"}},

	// floor 0: the kernel. No I/O, no third-party type.
	{
		Floor: Kernel, Packages: []string{"canon/**"}, Imports: []string{"canon/**", "internal/jsonx"},
		NoStd: []string{"os", "os/exec", "net", "net/http", "database/sql", "log", "embed"},
	},

	// aside: what checks and measures the module.
	{Floor: Aside, Packages: []string{"internal/house/**"}, Imports: []string{"internal/house/**"}, Reserved: true},
	{
		Floor: Aside, Packages: []string{"conformance/**", "bench/**"}, Kit: true,
		Imports: []string{
			"conformance/**", "bench/**", "internal/cli/**", "canon/**", "dialect/**", "vocab/**", "hook/**", "agent/**",
			"handoff/**", "check/**", "transcript/**", "gateway/**", "dispatch/**", "hub/**", "mcpserver/**",
			"store/**", "leaves",
		},
		Modules: []string{"golang.org/x/term"},
	},

	// leaves: the standard library, each other, and at most one module each.
	{Floor: Leaf, Packages: []string{"internal/patch"}, Reserved: true},
	{Floor: Leaf, Packages: []string{"internal/jsonx/**"}, Imports: []string{"internal/jsonx/**"}, Modules: []string{"github.com/go-json-experiment/json"}},
	{Floor: Leaf, Packages: []string{"internal/osx/**"}, Imports: []string{"internal/osx/**"}, Modules: []string{"golang.org/x/sys"}},
	{Floor: Leaf, Packages: []string{"internal/jsonl/**"}, Imports: []string{"leaves"}, Modules: []string{"github.com/klauspost/compress"}},
	{Floor: Leaf, Packages: []string{"internal/fixture"}, Kit: true},
	{Floor: Leaf, Packages: []string{"internal/scripted/**"}, Imports: []string{"internal/scripted/**"}, Modules: []string{"github.com/klauspost/compress"}, Kit: true},
	{Floor: Leaf, Packages: []string{"internal/codemode"}, Imports: []string{"leaves"}, Modules: []string{"github.com/tdewolff/parse/v2"}},
	{Floor: Leaf, Packages: []string{"internal/tomledit/**"}, Imports: []string{"leaves"}, Modules: []string{"github.com/pelletier/go-toml/v2"}},
	{Floor: Leaf, Packages: []string{"internal/**"}, Imports: []string{"leaves"}},
}

// TestModules are the modules that tests and test kits may import wherever they stand.
var TestModules = []string{
	"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "pgregory.net/rapid", "go.uber.org/goleak",
	"github.com/creack/pty", "github.com/charmbracelet/x/vt", "golang.org/x/sys", "github.com/klauspost/compress",
}

// Link bounds what a package pulls into a program, through any number of imports.
type Link struct {
	Packages []string
	Own      []string // packages of this module that may be linked
	Modules  []string // other modules that may be linked
	NoStd    []string // standard packages that may not
}

// Links is the table of such bounds. crosswalk-hook runs before every tool call of an agent: what it
// links is paid for at each start.
var Links = []Link{
	{Packages: []string{"canon/**"}, Own: []string{"canon/**", "internal/jsonx/**"}, Modules: []string{"github.com/go-json-experiment/json"}},
	{
		Packages: []string{"cmd/crosswalk-hook", "hook", "hook/run/**", "agent/hookall", "agent/*/hookcodec"},
		Own:      []string{"cmd/crosswalk-hook", "hook", "hook/run/**", "agent/hookall", "agent/*/hookcodec", "canon", "leaves", "internal/patch"},
		Modules:  []string{"github.com/go-json-experiment/json", "mvdan.cc/sh/v3", "golang.org/x/sys"},
		NoStd:    []string{"net/http", "database/sql"},
	},
}
