package dialecttest

import (
	"bytes"
	"errors"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect"
)

// failures holds that what is no answer is never read as an empty one, though it
// came as one: an error is that error, and anything else is one, too.
func failures(t *testing.T, c dialect.Codec) {
	for _, e := range CorpusErrors() {
		t.Run(e.Error(), func(t *testing.T) {
			body := c.EncodeError(nil, e)
			_, whole := c.DecodeResponse(body, new(canon.Report))
			_, streamed := Read(c, bytes.NewReader(append(append([]byte("data: "), body...), "\n\n"...)))
			for how, err := range map[string]error{"whole": whole, "streamed": streamed} {
				var api *canon.APIError
				if !errors.As(err, &api) || api.Kind != e.Kind || api.Message != e.Message {
					t.Errorf("%s %s is read as %v", how, body, err)
				}
			}
		})
	}
	for _, body := range []string{`{}`, `null`, `[]`, `"words"`, `{"x":1}`, `{"detail":"words"}`, `{"message":"words"}`, `{"error":"words"}`, `{"error":{"message":"words"}}`, `{"usage":{}}`, `{"id":"x","model":"m"}`} {
		if a, err := c.DecodeResponse([]byte(body), new(canon.Report)); err == nil {
			t.Errorf("%s is read as the answer\n%s", body, FormatResponse(a))
		}
		if a, err := Read(c, bytes.NewReader([]byte("data: "+body+"\n\n"))); err == nil {
			t.Errorf("%s, streamed, is read as the answer\n%s", body, FormatResponse(a))
		}
	}
}
