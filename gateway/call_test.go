package gateway_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/crosswalk-agents/crosswalk/canon"
	"github.com/crosswalk-agents/crosswalk/dialect/all"
	"github.com/crosswalk-agents/crosswalk/gateway"
)

// geminiBody is the smallest request of a Gemini client.
const geminiBody = `{"contents":[{"role":"user","parts":[{"text":"Hello."}]}]}`

// Names of models have colons (Ollama's) and slashes (of those who resell many).
func TestAModelInThePathHasAnyName(t *testing.T) {
	for _, model := range []string{"m", "qwen3:8b", "qwen/qwen3", "a/b:c/d:e", "models%2Fx", "größe"} {
		for _, version := range []string{"/v1", "/v1beta"} {
			for _, method := range []string{"generateContent", "streamGenerateContent"} {
				s := gateway.New(to("chat", "http://a"), gateway.Options{Codecs: all.Codecs()})
				asked := ""
				s.SetTransport(&kept{status: http.StatusOK, answer: func(*http.Request) []byte {
					return []byte(`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}]}`)
				}})
				h := hearAt(t, s, version+"/models/"+model+":"+method, []byte(geminiBody), nil)
				var turn gateway.Turn
				if err := json.Unmarshal(hearAt(t, s, "GET /v1/crosswalk/turns/"+h.Header().Get("X-Crosswalk-Turn"), nil, nil).Body.Bytes(), &turn); err == nil {
					asked = turn.Model
				}
				if want := strings.ReplaceAll(model, "%2F", "/"); h.Code != http.StatusOK || asked != want {
					t.Errorf("%s: %d for the model %q\n%s", model, h.Code, asked, h.Body)
				}
			}
		}
	}
	s := gateway.New(to("chat", "http://a"), gateway.Options{Codecs: all.Codecs()})
	for _, path := range []string{"/v1beta/models/m", "/v1beta/models/m:embedContent", "/v1beta/models/a:b:", "/v1beta/models/"} {
		if h := hearAt(t, s, path, []byte(geminiBody), nil); h.Code != http.StatusNotFound || !json.Valid(h.Body.Bytes()) {
			t.Errorf("%s: %d %s", path, h.Code, h.Body)
		}
	}
}

// A Gemini stream that is not asked for as events is a list of answers, and so is
// its error.
func TestAStreamThatIsNoListOfEventsIsAList(t *testing.T) {
	for _, up := range all.Codecs() {
		for _, failing := range []bool{false, true} {
			s := gateway.New(to(up.Name(), "http://a"), gateway.Options{Codecs: all.Codecs()})
			k := &kept{status: http.StatusOK, answer: func(*http.Request) []byte {
				b, _ := up.EncodeResponse(nil, &canon.Response{ID: "x", Blocks: []canon.Block{text("word")}, Stop: canon.Stop{Reason: canon.StopEnd}}, new(canon.Report))
				return b
			}}
			if failing {
				k.status = http.StatusBadRequest
				k.answer = func(*http.Request) []byte {
					return up.EncodeError(nil, &canon.APIError{Status: 400, Kind: canon.ErrInvalid, Message: "word"})
				}
			}
			s.SetTransport(k)
			h := hearAt(t, s, "/v1beta/models/m:streamGenerateContent", []byte(geminiBody), nil)
			var list []map[string]any
			err := json.Unmarshal(h.Body.Bytes(), &list)
			if err != nil || len(list) != 1 || h.Code != k.status || !strings.Contains(h.Body.String(), `"word"`) || (list[0]["error"] != nil) != failing {
				t.Errorf("%s: %v, %d %s", up.Name(), err, h.Code, h.Body)
			}
		}
	}
}

// Whatever a caller lost, the header that tells it is one that every client takes,
// and counts all of it.
func TestTheHeaderOfLossesIsShort(t *testing.T) {
	for name, member := range map[string]func(int) string{
		"many":     func(i int) string { return fmt.Sprintf("unknown_%d", i) },
		"long":     func(i int) string { return strings.Repeat("n", 5000) + strconv.Itoa(i) },
		"no ASCII": func(i int) string { return "größe, \U0001F600=\u0001" + strconv.Itoa(i) },
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i := range 900 {
				quoted, _ := json.Marshal(member(i))
				fmt.Fprintf(&b, `,%s:1`, quoted)
			}
			s := gateway.New(to("chat", "http://a"), gateway.Options{Codecs: all.Codecs()})
			s.SetTransport(&kept{status: http.StatusOK, answer: func(*http.Request) []byte {
				return []byte(`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}]}`)
			}})
			h := hearAt(t, s, "/v1/messages", []byte(strings.TrimSuffix(hello, "}")+b.String()+"}"), nil)
			loss, sum := h.Header().Get("X-Crosswalk-Loss"), 0
			for entry := range strings.SplitSeq(loss, ", ") {
				_, n, _ := strings.Cut(entry, "=")
				count, err := strconv.Atoi(n)
				if err != nil {
					t.Errorf("%q: %v", entry, err)
				}
				sum += count
			}
			if len(loss) > 1024 || sum < 900 || slices.ContainsFunc([]byte(loss), func(c byte) bool { return c < ' ' || c > '~' }) {
				t.Errorf("%d bytes, %d losses: %s", len(loss), sum, loss)
			}
		})
	}
}

// What is remembered of a turn is short, whatever others call things.
func TestATurnIsRememberedInShort(t *testing.T) {
	long := strings.Repeat("ß", 1<<20)
	s := gateway.New(to("chat", "http://a"), gateway.Options{Codecs: all.Codecs()})
	s.SetTransport(&kept{status: http.StatusBadRequest, answer: func(*http.Request) []byte {
		return []byte(`{"error":{"message":"` + long[:1<<19] + `"}}`)
	}})
	body := `{"model":"` + long + `","` + long + `":1,"max_tokens":10,"messages":[{"role":"user","content":"Hello."}]}`
	h := hearAt(t, s, "/v1/messages", []byte(body), nil)
	turn := hearAt(t, s, "GET /v1/crosswalk/turns/"+h.Header().Get("X-Crosswalk-Turn"), nil, nil)
	if turn.Code != http.StatusOK || turn.Body.Len() > 10_000 || !json.Valid(turn.Body.Bytes()) {
		t.Errorf("%d, %d bytes: %.500s", turn.Code, turn.Body.Len(), turn.Body)
	}
}

func TestABodyIsNotEncodedManyTimes(t *testing.T) {
	s := gateway.New(to("chat", "http://a"), gateway.Options{Codecs: all.Codecs()})
	for _, encoding := range []string{"identity, identity, identity, identity", strings.Repeat("gzip,", 5000)} {
		h := hearAt(t, s, "/v1/messages", []byte(hello), func(r *http.Request) { r.Header.Set("Content-Encoding", encoding) })
		if h.Code != http.StatusUnsupportedMediaType {
			t.Errorf("%.50s: %d %s", encoding, h.Code, h.Body)
		}
	}
}
