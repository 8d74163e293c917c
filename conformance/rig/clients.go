package rig

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

func clientsDir(option, root string) string {
	dir := option
	if dir == "" {
		dir = os.Getenv(ClientsEnv)
	}
	if dir == "" {
		dir = filepath.Join(".cache", "clients")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir) // a test's working directory is its package
	}
	return dir
}

// Client returns the path of an installed client's program, by its name in
// conformance/clients.json. For gemini and qwen that is a script for node.
func (b *Bench) Client(name string) (string, error) {
	arch, triple := "x64", "x86_64-unknown-linux-musl"
	if runtime.GOARCH == "arm64" {
		arch, triple = "arm64", "aarch64-unknown-linux-musl"
	}
	places := map[string]string{
		"claude":   "@anthropic-ai/claude-code-linux-" + arch + "/claude",
		"codex":    "@openai/codex-linux-" + arch + "/vendor/" + triple + "/bin/codex",
		"opencode": "opencode-linux-" + arch + "/bin/opencode",
		"gemini":   "@google/gemini-cli/bundle/gemini.js",
		"qwen":     "@qwen-code/qwen-code/cli-entry.js",
		"node":     "node-linux-" + arch + "/bin/node",
	}
	place, ok := places[name]
	if !ok {
		return "", fmt.Errorf("no client is called %q", name)
	}
	path := filepath.Join(b.clients, "node_modules", filepath.FromSlash(place))
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("client %s is not installed (run scripts/install-clients DIR and set %s=DIR): %w", name, ClientsEnv, err)
	}
	return filepath.EvalSymlinks(path)
}
