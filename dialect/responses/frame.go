package responses

import (
	"fmt"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/internal/jsonx"
	"github.com/crosswalk-agents/crosswalk/internal/sse"
)

// frame is the union of what the events of a stream hold.
type frame struct {
	typ            string
	response, item canon.Raw
	itemID         string
	output, part   int64 // -1 if it does not say
	delta          canon.Text
	whole          canon.Text // what deltas have brought, or should have
	hasError       bool
	hasStatus      bool
}

// readFrame reads an event. The type is that of the data, or the event's name for
// servers that leave it out.
func readFrame(d *jsonx.Decoder, f *sse.Event) (fr frame, err error) {
	fr.output, fr.part = -1, -1
	d.Reset(f.Data)
	for name := range d.Members() {
		switch string(name) {
		case "type":
			fr.typ = d.OptStr()
		case "response":
			fr.response = d.Raw()
		case "item":
			fr.item = d.Raw()
		case "item_id":
			fr.itemID = d.OptStr()
		case "output_index":
			fr.output = readIndex(d)
		case "content_index", "summary_index":
			fr.part = readIndex(d)
		case "delta":
			fr.delta = canon.ReadOptText(d)
		case "text", "arguments", "input", "refusal":
			fr.whole = readFreeText(d)
		case "error":
			fr.hasError = d.Kind() != jsonx.Null
		case "status":
			fr.hasStatus = true
		}
	}
	if err := d.Err(); err != nil {
		return fr, fmt.Errorf("decode Responses stream: %w", err)
	}
	if fr.typ == "" {
		if fr.typ = string(f.Name); fr.typ == "" && fr.hasError {
			fr.typ = "error"
		}
	}
	if fr.response == nil && fr.hasStatus { // the answer itself, without its wrapper
		fr.response = f.Data
	}
	return fr, nil
}

// readIndex reads an index; -1 if the value is none.
func readIndex(d *jsonx.Decoder) int64 {
	if d.Kind() != jsonx.Number {
		d.Skip()
		return -1
	}
	return d.OptInt()
}
