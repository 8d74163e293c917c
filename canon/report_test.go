package canon_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/crosswalk-agents/crosswalk/canon"
)

// drawBlock draws a block of any kind; results hold further ones.
func drawBlock(t *rapid.T, nested bool) canon.Block {
	blocks := []func() canon.Block{
		func() canon.Block { return text("a") },
		func() canon.Block { return &canon.ImageBlock{} },
		func() canon.Block { return &canon.DocumentBlock{} },
		func() canon.Block { return &canon.ReasoningBlock{Redacted: rapid.Bool().Draw(t, "redacted")} },
		func() canon.Block { return &canon.CompactionBlock{} },
		func() canon.Block { return &canon.OpaqueBlock{} },
		func() canon.Block { return &canon.ToolCallBlock{} },
		func() canon.Block {
			b := text("a")
			b.Tag = "reminder"
			return b
		},
		func() canon.Block {
			r := result()
			for i := 0; nested && i < rapid.IntRange(0, 3).Draw(t, "content"); i++ {
				r.Content = append(r.Content, drawBlock(t, false))
			}
			return r
		},
	}
	return rapid.SampledFrom(blocks).Draw(t, "block")()
}

// TestEveryWayThroughAReportBalances sends messages through random stages.
func TestEveryWayThroughAReportBalances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r canon.Report
		moves := 0
		for range rapid.IntRange(0, 8).Draw(t, "messages") {
			m := &canon.Message{Role: canon.User, Line: 1}
			for range rapid.IntRange(1, 4).Draw(t, "blocks") {
				m.Blocks = append(m.Blocks, drawBlock(t, true))
			}
			r.Ingest(m)
			for range rapid.IntRange(0, 4).Draw(t, "stages") {
				moves++
				stage(t, &r, m)
			}
			switch {
			case len(m.Blocks) > 0 && rapid.Bool().Draw(t, "emit"):
				r.Emit(m)
			default:
				moves++
				r.Drop(m, "left out")
			}
		}
		if err := r.Balance(); err != nil {
			t.Fatal(err)
		}
		if len(r.Losses)+omitted(&r) != moves {
			t.Fatalf("%d losses and %d omitted for %d changes", len(r.Losses), omitted(&r), moves)
		}
		// One block too many or too few never balances.
		b := drawBlock(t, true)
		r.Emit(&canon.Message{Blocks: []canon.Block{b, text("a")}})
		if err := r.Balance(); err == nil || !strings.Contains(err.Error(), "message") {
			t.Fatalf("a message from nowhere: %v", err)
		}
	})
}

// stage changes m in a way that a stage may, and counts it.
func stage(t *rapid.T, r *canon.Report, m *canon.Message) {
	was := m.IsScaffolding() || len(m.Blocks) == 0
	switch rapid.SampledFrom([]string{"drop a block", "replace a block", "make a block", "make a message", "lose"}).Draw(t, "stage") {
	case "drop a block":
		if len(m.Blocks) > 1 {
			i := rapid.IntRange(0, len(m.Blocks)-1).Draw(t, "which")
			r.DropBlock(m, m.Blocks[i], "because")
			m.Blocks = slices.Delete(m.Blocks, i, i+1)
			break
		}
		r.Lose(canon.Loss{What: "x", Action: canon.Moved})
	case "replace a block":
		i := rapid.IntRange(0, len(m.Blocks)-1).Draw(t, "which")
		var now []canon.Block
		for range rapid.IntRange(1, 3).Draw(t, "by") {
			now = append(now, drawBlock(t, true))
		}
		r.Replace(m, m.Blocks[i], now, "because")
		m.Blocks = slices.Replace(m.Blocks, i, i+1, now...)
	case "make a block":
		b := drawBlock(t, true)
		r.SynthesizeBlock(m, b, "because")
		m.Blocks = append(m.Blocks, b)
	case "make a message":
		made := &canon.Message{Blocks: []canon.Block{drawBlock(t, true)}}
		r.Synthesize(made, "because")
		r.Emit(made)
	case "lose":
		r.Lose(canon.Loss{What: "x", Action: canon.Moved})
	}
	// A message that became scaffolding alone, or no longer is, changes sides.
	switch is := m.IsScaffolding(); {
	case is && !was:
		r.Dropped[canon.CountMessage]++
	case was && !is:
		r.Synthesized[canon.CountMessage]++
	}
}

func TestBalanceNamesWhatIsAmiss(t *testing.T) {
	for name, x := range map[string]struct {
		r    canon.Report
		want []string
	}{
		"nothing":                {canon.Report{}, nil},
		"emitted only":           {canon.Report{Emitted: canon.Counts{"text": 1}}, []string{"text: 0 ingested + 0 synthesized, 1 emitted + 0 dropped"}},
		"ingested only":          {canon.Report{Ingested: canon.Counts{"image": 2}}, []string{"image: 2 ingested"}},
		"dropped and never read": {canon.Report{Dropped: canon.Counts{"reasoning": 1}}, []string{"reasoning: 0 ingested", "drops reasoning that was never read"}},
		"one kind for another":   {canon.Report{Ingested: canon.Counts{"tool_result": 1}, Emitted: canon.Counts{"text": 1}}, []string{"text: 0", "tool_result: 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := x.r.Balance()
			if (err != nil) != (len(x.want) > 0) {
				t.Fatal(err)
			}
			for _, want := range x.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestKindsAreCountedWithWhatTheyHold(t *testing.T) {
	tagged := text("a")
	tagged.Tag = "reminder"
	image := &canon.ImageBlock{}
	for name, x := range map[string]struct {
		blocks []canon.Block
		want   canon.Counts
	}{
		"text":                        {[]canon.Block{text("a"), text("b")}, canon.Counts{"message": 1, "text": 2}},
		"scaffolding is no message":   {[]canon.Block{tagged, tagged}, canon.Counts{"scaffolding": 2}},
		"scaffolding beside text":     {[]canon.Block{tagged, text("a")}, canon.Counts{"message": 1, "scaffolding": 1, "text": 1}},
		"text in a result is a part":  {[]canon.Block{result(text("a"), text("b"))}, canon.Counts{"message": 1, "tool_result": 1}},
		"images in a result are not":  {[]canon.Block{result(text("a"), image, image)}, canon.Counts{"message": 1, "tool_result": 1, "image": 2}},
		"results in a result":         {[]canon.Block{result(result(image))}, canon.Counts{"message": 1, "tool_result": 2, "image": 1}},
		"reasoning, open and sealed":  {[]canon.Block{&canon.ReasoningBlock{}, &canon.ReasoningBlock{Redacted: true}}, canon.Counts{"message": 1, "reasoning": 1, "reasoning-redacted": 1}},
		"calls, documents and others": {[]canon.Block{&canon.ToolCallBlock{}, &canon.DocumentBlock{}, &canon.OpaqueBlock{}, &canon.CompactionBlock{}}, canon.Counts{"message": 1, "tool_call": 1, "document": 1, "other": 1, "compaction": 1}},
		"nothing":                     {nil, canon.Counts{"message": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var r canon.Report
			m := &canon.Message{Blocks: x.blocks}
			r.Ingest(m)
			r.Synthesize(m, "")
			r.Emit(m)
			r.Drop(m, "")
			for what, got := range map[string]canon.Counts{"ingested": r.Ingested, "synthesized": r.Synthesized, "emitted": r.Emitted, "dropped": r.Dropped} {
				if diff := cmp.Diff(x.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

func TestReplaceCountsWhatChanged(t *testing.T) {
	image := &canon.ImageBlock{}
	for name, x := range map[string]struct {
		old                  canon.Block
		now                  []canon.Block
		synthesized, dropped canon.Counts
	}{
		"another kind":             {image, []canon.Block{text("a")}, canon.Counts{"text": 1}, canon.Counts{"image": 1}},
		"the same kind":            {text("a"), []canon.Block{text("b")}, nil, nil},
		"one for two":              {text("a"), []canon.Block{text("b"), text("c")}, canon.Counts{"text": 1}, nil},
		"nothing":                  {image, nil, nil, canon.Counts{"image": 1}},
		"a result for its content": {result(text("a"), image), []canon.Block{text("a"), image}, canon.Counts{"text": 1}, canon.Counts{"tool_result": 1}},
		"a result for its text":    {result(text("a"), image, image), []canon.Block{text("a")}, canon.Counts{"text": 1}, canon.Counts{"tool_result": 1, "image": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			var r canon.Report
			m := &canon.Message{Line: 7}
			r.Replace(m, x.old, x.now, "because")
			if diff := cmp.Diff([]any{x.synthesized, x.dropped}, []any{r.Synthesized, r.Dropped}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if len(r.Losses) != 1 || r.Losses[0].Action != canon.Downgraded || r.Losses[0].Where != "line 7" || r.Losses[0].Why != "because" {
				t.Errorf("losses %+v", r.Losses)
			}
		})
	}
}

func TestTheListOfLossesIsBounded(t *testing.T) {
	var r canon.Report
	for i := range 3 * canon.MaxLosses {
		m := &canon.Message{Line: i + 1, Blocks: []canon.Block{&canon.ImageBlock{}}}
		r.Ingest(m)
		r.DropBlock(m, m.Blocks[0], "too large")
	}
	r.DropUnread("sidechain", 2, "", "not exported")
	images := canon.Omitted{What: "image", Action: canon.Dropped, Why: "too large", Count: 2 * canon.MaxLosses}
	if len(r.Losses) != canon.MaxLosses+2 || !slices.Equal(r.Omitted, []canon.Omitted{images}) || r.Dropped["image"] != 3*canon.MaxLosses {
		t.Errorf("%d losses, omitted %+v, counts %v", len(r.Losses), r.Omitted, r.Dropped)
	}
	if l := r.Losses[0]; l != (canon.Loss{Where: "line 1", What: "image", Action: canon.Dropped, Why: "too large"}) {
		t.Errorf("the first is %+v", l)
	}
	for i := range 3 * canon.MaxListed {
		r.Lose(canon.Loss{What: "record", Action: canon.Dropped, Why: fmt.Sprint("damage at byte ", i)})
	}
	if len(r.Losses) != canon.MaxListed || len(r.Losses)+omitted(&r) != 3*canon.MaxLosses+2+3*canon.MaxListed {
		t.Errorf("%d losses, %d omitted", len(r.Losses), omitted(&r))
	}
	if r.Omitted[0] != images || len(r.Omitted) > 2*canon.MaxListed+1 {
		t.Errorf("%d are omitted, the first %+v", len(r.Omitted), r.Omitted[0])
	}
}

// omitted counts the losses that are not listed.
func omitted(r *canon.Report) (n int) {
	for _, o := range r.Omitted {
		n += o.Count
	}
	return n
}

func TestNamesInAReportAreCountedAndBounded(t *testing.T) {
	var r canon.Report
	for i := range 3 * canon.MaxListed {
		m := &canon.Message{Role: canon.Assistant, Model: fmt.Sprint("model-", i%2000), Line: i + 1, Blocks: []canon.Block{text("a"), text("b")}}
		m.Blocks[0].Meta().Tag = fmt.Sprint("tag-", i%1500)
		r.Ingest(m)
		if i%2 == 0 {
			r.Drop(m, "left out")
		} else {
			r.DropBlock(m, m.Blocks[0], "left out")
			r.Emit(&canon.Message{Role: canon.Assistant, Blocks: m.Blocks[1:]})
		}
		r.Damaged(m.Where(), "bom")
	}
	if err := r.Balance(); err != nil {
		t.Error(err)
	}
	sum := func(c map[string]int) (n int) {
		for _, v := range c {
			n += v
		}
		return n
	}
	if n := sum(r.Scaffolding); n != r.Dropped[canon.CountScaffolding] || n != 3*canon.MaxListed {
		t.Errorf("%d by tag, %d in all", n, r.Dropped[canon.CountScaffolding])
	}
	if r.Scaffolding["tag-7"] != 2 || r.Models["model-7"] != 2 || sum(r.Models) != 3*canon.MaxListed {
		t.Errorf("tag %d, model %d, %d answers", r.Scaffolding["tag-7"], r.Models["model-7"], sum(r.Models))
	}
	if len(r.Scaffolding) > canon.MaxListed+1 || len(r.Models) > canon.MaxListed+1 || len(r.Damage) != canon.MaxListed {
		t.Errorf("%d tags, %d models, %d damaged places", len(r.Scaffolding), len(r.Models), len(r.Damage))
	}
}

func TestTheListOfSecretsIsBounded(t *testing.T) {
	var r canon.Report
	for i := range canon.MaxListed + 7 {
		r.AddSecret(canon.Secret{Rule: "key", Where: fmt.Sprint("line ", i+1)})
	}
	if n := len(r.Secrets); n != canon.MaxListed || r.SecretsOmitted != 7 || r.Secrets[n-1].Where != fmt.Sprint("line ", n) {
		t.Errorf("%d secrets, %d omitted, the last is %+v", n, r.SecretsOmitted, r.Secrets[n-1])
	}
}

func TestLossesOfMessagesAreListedByWhatTheyHold(t *testing.T) {
	tagged := text("a")
	tagged.Tag = "reminder"
	for want, blocks := range map[string][]canon.Block{
		"text": {text("a")}, "message": {text("a"), text("b")}, "scaffolding": {tagged, tagged}, "tool_result": {result(text("a"))},
	} {
		var r canon.Report
		r.Drop(&canon.Message{Blocks: blocks}, "because")
		if len(r.Losses) != 1 || r.Losses[0].What != want || r.Losses[0].Where != "" {
			t.Errorf("%+v, want %s", r.Losses, want)
		}
	}
}

func TestReportAsJSON(t *testing.T) {
	var r canon.Report
	check := func(want string) {
		t.Helper()
		got, err := json.Marshal(&r)
		if err != nil || string(got) != want {
			t.Errorf("%s\nwant %s, %v", got, want, err)
		}
	}
	check(`{"read":{"lines":0,"bytes":0},"ingested":{},"synthesized":{},"emitted":{},"dropped":{},"losses":[],"notes":{},"tokens":0,"secrets":[]}`)
	r.Note("nothing", 0)
	r.Note("settled", 1)
	r.Note("settled", 2)
	r.DropUnread("sidechain", 1, "line 3", "not exported")
	r.SynthesizeMessage(&canon.Message{Line: 2})
	r.Omitted, r.Tokens = []canon.Omitted{{What: "image", Action: canon.Dropped, Why: "too large", Count: 4}}, 5
	r.Models, r.Scaffolding = map[string]int{"m": 6}, map[string]int{"reminder": 7}
	r.Read = canon.Extent{Lines: 3, Bytes: 400, Torn: 20}
	if n := r.Read.Size(); n != 420 {
		t.Errorf("the file had %d bytes, want 420", n)
	}
	r.Damaged("line 8", "bom")
	r.AddSecret(canon.Secret{Rule: "r", Where: "line 9"})
	check(`{"read":{"lines":3,"bytes":400,"torn":20},"ingested":{"sidechain":1},"synthesized":{"message":1},"emitted":{},"dropped":{"sidechain":1},"scaffolding":{"reminder":7},"models":{"m":6},` +
		`"losses":[{"where":"line 3","what":"sidechain","action":"dropped","why":"not exported"},{"where":"line 2","what":"message","action":"synthesized","why":"scaffolding becomes a message"}],` +
		`"losses_omitted":[{"what":"image","action":"dropped","why":"too large","count":4}],"damage":[{"where":"line 8","kind":"bom"}],"notes":{"settled":3},"tokens":5,"secrets":[{"rule":"r","where":"line 9"}]}`)
}
