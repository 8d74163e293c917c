package check

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repaired runs Repair on a seed and returns its report and the copy's path.
func repaired(t *testing.T, s seed) (*RepairReport, string) {
	t.Helper()
	name := claudeName
	if strings.Contains(s.rule, "codex") {
		name = codexName1
	}
	out := filepath.Join(t.TempDir(), name)
	r, err := Repair(context.Background(), s.path, out, s.options)
	if err != nil {
		t.Fatal(err)
	}
	return r, out
}

func TestARepairedDefectPassesTheCheck(t *testing.T) {
	for _, rule := range Rules() {
		if rule.Repair == "" {
			continue
		}
		t.Run(rule.ID, func(t *testing.T) {
			s := plant(t, rule.ID)
			original, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			r, out := repaired(t, s)
			after, err := Check(context.Background(), out, s.options)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range after.Findings {
				if f.Severity != Info && f.Rule == rule.ID || f.Severity == Error {
					t.Errorf("line %d: %s: %s", f.Line, f.Rule, f.Message)
				}
				t.Logf("left: line %d: %s: %s", f.Line, f.Rule, f.Message)
			}
			told := false
			for _, c := range r.Changes {
				told = told || c.Rule == rule.ID
			}
			if !told && rule.ID != "claude-compressed" {
				t.Errorf("no change tells of it: %+v", r.Changes)
			}
			if now, err := os.ReadFile(s.path); err != nil || !bytes.Equal(now, original) {
				t.Errorf("the original was changed: %v", err)
			}
			if t.Failed() {
				data, _ := os.ReadFile(out)
				t.Logf("%.3000s", data)
			}
		})
	}
}

// What the client puts in by itself is no prompt: repair makes no title of it.
func TestRepairNamesASessionByItsFirstPrompt(t *testing.T) {
	for _, tt := range []struct {
		rule, prompt string // of the seed, and its record's text
		texts        []string
	}{
		{"claude-listing-window", `"content":"Please list the files."`, []string{
			"<command-name>/clear</command-name>", "<command-message>clear</command-message>", "<local-command-stdout>done</local-command-stdout>",
			"<local-command-stderr>no</local-command-stderr>", "<local-command-caveat>c</local-command-caveat>", "<system-reminder>r</system-reminder>",
			"<task-notification>n</task-notification>", "<bash-input>ls</bash-input>", "<bash-stdout>a</bash-stdout>", "<bash-stderr>b</bash-stderr>",
			"<ide_selection>s</ide_selection>", "<ide_opened_file>f</ide_opened_file>", "<user-prompt-submit-hook>h</user-prompt-submit-hook>",
			"<session-start-hook name=x>h</session-start-hook>", `\n<system-reminder>r</system-reminder>`,
		}},
		{"codex-no-events", `"text":"Please list the files."`, []string{
			"<environment_context>e</environment_context>", "# AGENTS.md instructions for /w", "<user_instructions>i</user_instructions>",
			"<turn_aborted>t</turn_aborted>", "<skill>s</skill>", "<skill name=x>s</skill>", "<recommended_plugins>p</recommended_plugins>",
			"<ide_context>c</ide_context>", "# Context from my IDE setup", "# Files mentioned by the user", "<hook_prompt x>h</hook_prompt>",
			"<subagent_notification>n</subagent_notification>", "<EXTERNAL SESSION IMPORTED>", "<user_shell_command>ls</user_shell_command>",
			`\n<environment_context>e</environment_context>`,
		}},
	} {
		for _, put := range tt.texts {
			t.Run(tt.rule+" "+put, func(t *testing.T) {
				s := plant(t, tt.rule)
				data, err := os.ReadFile(s.path)
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				for line := range strings.Lines(string(data)) {
					if strings.Contains(line, tt.prompt) {
						first := strings.Replace(line, "Please list the files.", put, 1)
						lines = append(lines, strings.Replace(first, `"uuid":"u1"`, `"uuid":"u1a"`, 1))
						line = strings.Replace(line, `"parentUuid":"u0"`, `"parentUuid":"u1a"`, 1)
					}
					lines = append(lines, line)
				}
				write(t, s.path, []byte(strings.Join(lines, "")))
				_, out := repaired(t, s)
				after, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				named := `"customTitle":"Please list the files."`
				if strings.HasPrefix(tt.rule, "codex") {
					named = `"type":"user_message","message":"Please list the files."`
				}
				if !bytes.Contains(after, []byte(named)) {
					t.Errorf("the first prompt does not name it:\n%.2000s", after[max(0, len(after)-2000):])
				}
			})
		}
	}
}
