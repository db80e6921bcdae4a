package inspector

import (
	"hash/maphash"
	"strings"
	"testing"

	"dragoman/upstream/simulated"
)

// turns returns a request of a conversation: a user turn, and then others.
func turns(more ...string) string {
	messages := append([]string{`{"role":"user","content":"What is the weather in Oslo?"}`}, more...)
	return `{"model":"claude-2.1","max_tokens":400,"system":"You are brief.","messages":[` + strings.Join(messages, ",") + `]}`
}

const (
	cold   = `{"role":"assistant","content":"Cold."}`
	rome   = `{"role":"user","content":"And in Rome?"}`
	marked = `{"role":"user","content":[{"type":"text","text":"And in Rome?","cache_control":{"type":"ephemeral"}}]}`
)

// An exchange names the turn before it, whatever its client marks for caching. If several exchanges match, the longest
// one wins, then the one whose whole request matches, then the newest.
func TestContinues(t *testing.T) {
	other := strings.Replace(turns(), "brief", "long", 1)
	for name, test := range map[string]struct {
		asked []string
		want  int // of the last request: the number of the exchange that it continues; 0 for none
	}{
		"the first":              {[]string{turns()}, 0},
		"the same again":         {[]string{turns(), turns()}, 0},
		"the turn before":        {[]string{turns(), turns(cold, rome)}, 1},
		"the longest":            {[]string{turns(), turns(cold, rome), turns(cold, rome, cold, rome)}, 2},
		"another conversation":   {[]string{turns(), strings.Replace(turns(cold, rome), "Oslo", "Bergen", 1)}, 0},
		"marked for caches":      {[]string{turns(cold, marked), turns(cold, rome, cold, marked)}, 1},
		"marked no more":         {[]string{turns(cold, rome), turns(cold, marked, cold, rome)}, 1},
		"repeated":               {[]string{turns(), turns(), turns(cold, rome)}, 2},
		"another system":         {[]string{turns(), other, turns(cold, rome)}, 1},
		"only of another system": {[]string{other, turns(cold, rome)}, 1},
		"shortened":              {[]string{turns(cold, rome), turns()}, 0},
		"no messages":            {[]string{turns(), `{"model":"claude-2.1","max_tokens":4,"messages":[]}`}, 0},
		"no JSON":                {[]string{turns(), turns(cold, rome)[:150]}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := watch(t, simulated.New())
			for _, body := range test.asked {
				w.ask(body)
			}
			lines := w.ended(len(test.asked))
			want := ""
			if test.want > 0 {
				want = lines[len(lines)-test.want].ID
			}
			if lines[0].Continues != want {
				t.Errorf("it continues %q, want %q", lines[0].Continues, want)
			}
		})
	}
}

// Conversations over Converse have turns, too.
func TestConverseContinues(t *testing.T) {
	w := watch(t, simulated.New())
	const good, mark = `{"text":"Good day."}`, `,{"cachePoint":{"type":"default"}}`
	converse := func(messages string) { w.post("/model/claude-2.1/converse", `{"messages":[`+messages+`]}`) }
	converse(`{"role":"user","content":[` + good + mark + `]}`)
	converse(`{"role":"user","content":[` + good + `]},{"role":"assistant","content":[` + good + `]},{"role":"user","content":[` + good + mark + `]}`)
	if lines := w.ended(2); lines[0].Status != 200 || lines[0].Continues != lines[1].ID {
		t.Errorf("%+v", lines)
	}
}

// Token counts and replays are not turns of a conversation. An exchange whose content was dropped has no later turn.
func TestTurnsAreOfClients(t *testing.T) {
	w := watch(t, simulated.New())
	w.ask(turns())
	first := w.ended(1)[0].ID
	w.post("/v1/messages/count_tokens", turns())
	do(t, w.request("POST", "exchanges/"+first+"/replay", `{"format":"attribute"}`))
	w.ended(3)
	w.ask(turns(cold, rome))
	if line := w.ended(4)[0]; line.Continues != first {
		t.Errorf("it continues %q, want %q", line.Continues, first)
	}
	for range few.Exchanges {
		w.ask(strings.Replace(question, "Oslo", "Bergen", 1))
	}
	w.ask(turns(cold, rome, cold, rome))
	if line := w.ended(few.Exchanges + 5)[0]; line.Continues != "" {
		t.Errorf("it continues %q, which is not kept", line.Continues)
	}
	do(t, w.request("DELETE", "exchanges", ""))
	if n := len(w.in.store.spoken); n != 0 {
		t.Errorf("%d conversations are left", n)
	}
}

// Reading a conversation uses no memory for its turns, however many there are.
func TestConversationTakesNoRoom(t *testing.T) {
	seed := maphash.MakeSeed()
	body := []byte(turns(strings.Repeat(cold+","+rome+",", 2000) + cold))
	if n := testing.AllocsPerRun(5, func() { readConversation(body, seed, func(uint64) {}) }); n > 20 {
		t.Errorf("%v allocations", n)
	}
}
