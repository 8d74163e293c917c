package check

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
)

// What images begin with, and what is none.
const (
	png  = "\x89PNG\r\n\x1a\n0000"
	jpeg = "\xff\xd8\xff000000000"
	gif  = "GIF89a000000"
	webp = "RIFF0000WEBP"
	bmp  = "BM0000000000"
)

func encoded(image string) string { return base64.StdEncoding.EncodeToString([]byte(image)) }

func TestAnImageBlockIsJudgedByItsDataAndType(t *testing.T) {
	for name, c := range map[string]struct {
		mediaType, data string
		fault           claudeMark
		repaired        string
	}{
		"png":                       {"image/png", encoded(png), 0, ""},
		"jpeg":                      {"image/jpeg", encoded(jpeg), 0, ""},
		"gif":                       {"image/gif", encoded(gif), 0, ""},
		"webp":                      {"image/webp", encoded(webp), 0, ""},
		"of a type that may be":     {"image/png", encoded("filler"), 0, ""},
		"with line breaks":          {"image/png", encoded(png)[:8] + "\n" + encoded(png)[8:] + "\n", 0, ""},
		"of another type":           {"image/png", encoded(jpeg), markImageType, "image/jpeg"},
		"without type":              {"", encoded(gif), markImageType, "image/gif"},
		"jpg":                       {"image/jpg", encoded(jpeg), markImageType, "image/jpeg"},
		"called bmp":                {"image/bmp", encoded(webp), markImageType, "image/webp"},
		"bmp":                       {"image/bmp", encoded(bmp), markImageType, ""},
		"svg":                       {"image/svg+xml", encoded("<svg/>"), markImageType, ""},
		"empty":                     {"image/png", "", markImageData, ""},
		"no base64":                 {"image/png", "not base64!", markImageData, ""},
		"of one character":          {"image/png", "A", markImageData, ""},
		"padding alone":             {"image/png", "==", markImageData, ""},
		"no base64 of another type": {"image/bmp", "\x00", markImageData, ""},
	} {
		t.Run(name, func(t *testing.T) {
			source := object(member{"type", text("base64")}, member{"media_type", text(c.mediaType)}, member{"data", text(c.data)})
			if fault, mediaType := claudeImage(source); fault != c.fault || mediaType != c.repaired {
				t.Errorf("fault %x, type %q", fault, mediaType)
			}
		})
	}
	for _, source := range []string{`{"type":"url","url":"https://example.com/a.png"}`, `{"type":"file","file_id":"f"}`, `null`, `1`, ``} {
		if fault, _ := claudeImage(jsonx.Raw(source)); fault != 0 {
			t.Errorf("%s: fault %x", source, fault)
		}
	}
}

func TestAnInputImageIsJudgedByItsData(t *testing.T) {
	sloppy := strings.TrimRight(encoded(png+"0"), "=")
	for url, want := range map[string][2]string{
		"data:image/png;base64," + encoded(png):  {},
		"data:image/bmp;base64," + encoded(webp): {}, // it goes by the data
		"data:;base64," + encoded(gif):           {},
		"data:image/png;base64," + sloppy:        {"its base64 has line breaks or lacks padding", "data:image/png;base64," + encoded(png+"0")},
		"data:image/png;base64,":                 {"its data is empty or no base64", ""},
		"data:image/png;base64,not base64!":      {"its data is empty or no base64", ""},
		"data:image/bmp;base64," + encoded(bmp):  {"its data is no PNG, JPEG, GIF or WebP", ""},
		"https://example.com/a.png":              {"it has no data, only an address", ""},
		"":                                       {"it has no data, only an address", ""},
	} {
		t.Run(url, func(t *testing.T) {
			if why, mended := codexImage(url); why != want[0] || mended != want[1] {
				t.Errorf("%q, mended %q; want %q", why, mended, want)
			}
		})
	}
}

// The images of the seeds, and what stands there when they are repaired.
func TestImagesAreMendedOrBecomeATextThatSaysWhy(t *testing.T) {
	for rule, want := range map[string][]string{
		"claude-image-type": {"image/png", "[an image was removed here: its type is image/bmp]"},
		"claude-image-data": {"[an image was removed here: its data is empty or no base64]", "[an image was removed here: its data is empty or no base64]"},
		"codex-image": {
			"[an image was removed here: its data is empty or no base64]", "[an image was removed here: its data is empty or no base64]",
			"[an image was removed here: it has no data, only an address]", "image/png", "image/png",
			"[an image was removed here: its data is no PNG, JPEG, GIF or WebP]",
		},
	} {
		t.Run(rule, func(t *testing.T) {
			r, out := repaired(t, plant(t, rule))
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, imagesAndNotices(jsonx.Raw("["+strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", ",")+"]"))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			removed := 0
			for _, w := range want {
				if strings.HasPrefix(w, "[") {
					removed++
				}
			}
			if r.Removed != removed {
				t.Errorf("%d pieces went on purpose, want %d", r.Removed, removed)
			}
		})
	}
}

// imagesAndNotices returns the media types of the images anywhere in raw, and the
// texts in their place.
func imagesAndNotices(raw jsonx.Raw) (found []string) {
	for _, v := range elements(raw) {
		found = append(found, imagesAndNotices(v)...)
	}
	if raw.Kind() != jsonx.Object {
		return found
	}
	switch getString(raw, "type") {
	case "image":
		return []string{getString(get(raw, "source"), "media_type")}
	case "input_image":
		mediaType, _, _ := cutDataURL(getString(raw, "image_url"))
		return []string{mediaType}
	}
	if s := getString(raw, "text"); strings.HasPrefix(s, "[") {
		return []string{s}
	}
	for _, name := range memberNames(raw) {
		found = append(found, imagesAndNotices(get(raw, name))...)
	}
	return found
}

// A compaction of Codex takes over the images of what it replaces.
func TestImagesOfAReplacementHistoryAreRepaired(t *testing.T) {
	s := plant(t, "clean-codex")
	file, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(file, `{"timestamp":"2026-11-30T10:01:00.000Z","type":"compacted","payload":{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"So far."},{"type":"input_image","image_url":"data:image/png;base64,"},{"type":"input_image","image_url":%q}]}]}}`+"\n",
		"data:image/png;base64,"+encoded(png))
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	s.rule = "codex-image"
	r, out := repaired(t, s)
	if got := rulesOf(r.Before); !cmp.Equal(got, []string{"codex-image"}) || len(r.After.Findings) > 0 {
		t.Errorf("before %q, after %+v", got, r.After.Findings)
	}
	lines := readLines(t, out)
	want := []string{"[an image was removed here: its data is empty or no base64]", "image/png"}
	if diff := cmp.Diff(want, imagesAndNotices(jsonx.Raw(lines[len(lines)-1]))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
