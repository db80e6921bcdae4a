package inspector

import (
	"net/http"

	"dragoman/translate"
)

// The page's view of one exchange: everything but its texts, of which it gets only the sizes.

type shownExchange struct {
	Line
	Header    []headerField `json:"header"`
	Body      int64         `json:"body"` // its bytes
	Asked     []shownPrompt `json:"asked"`
	Upstreams []shownCall   `json:"upstreams"`
	Outcomes  []outcome     `json:"outcomes"`
	Failure   *failure      `json:"failure,omitzero"`
	Overhead  overhead      `json:"overhead"`
	Gaps      []gap         `json:"gaps"` // the longest pauses of the upstreams
}

type shownPrompt struct {
	At           int64            `json:"at"`
	Upstream     string           `json:"upstream"`
	Model        string           `json:"model"`
	Format       string           `json:"format,omitzero"`
	Again        translate.Reason `json:"again,omitzero"`
	Native       bool             `json:"native,omitzero"`
	Stops        []string         `json:"stops"`
	MaxTokens    int              `json:"max_tokens"`
	Size         int64            `json:"size"`
	Sections     []section        `json:"sections"`
	Completion   int64            `json:"completion"`
	Thinking     int64            `json:"thinking"`
	Chunks       int              `json:"chunks"`
	First        int64            `json:"first,omitzero"` // when the first and the last chunk arrived
	Last         int64            `json:"last,omitzero"`
	Stop         string           `json:"stop,omitzero"`
	StopSequence string           `json:"stop_sequence,omitzero"`
}

type shownCall struct {
	At         int64  `json:"at"`
	Ended      int64  `json:"ended,omitzero"`
	Upstream   string `json:"upstream"`
	Model      string `json:"model"`
	Error      string `json:"error,omitzero"`
	Connecting int64  `json:"connecting,omitzero"`
	Connected  int64  `json:"connected,omitzero"`
	Reused     bool   `json:"reused,omitzero"`
	Sent       int64  `json:"sent,omitzero"`
	FirstByte  int64  `json:"first_byte,omitzero"`
	FirstChunk int64  `json:"first_chunk,omitzero"`
}

// gap is a pause between two chunks.
type gap struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// one answers with an exchange.
func (in *Inspector) one(w http.ResponseWriter, r *http.Request) error {
	x, err := in.opened(r)
	if err != nil {
		return err
	}
	respond(w, http.StatusOK, x.shown())
	return nil
}

// shown returns the exchange in the page's form.
func (x *keptExchange) shown() shownExchange {
	line := x.summary()
	x.mu.Lock()
	defer x.mu.Unlock()
	s := shownExchange{
		Line: line, Header: x.header, Body: x.body.size, Failure: x.failure, Overhead: x.overhead,
		Outcomes: append([]outcome{}, x.outcomes...),
		Asked:    []shownPrompt{}, Upstreams: []shownCall{}, Gaps: []gap{},
	}
	for _, p := range x.prompts {
		s.Asked = append(s.Asked, p.shown())
		s.Gaps = p.addGaps(s.Gaps)
	}
	for _, c := range x.calls {
		s.Upstreams = append(s.Upstreams, shownCall{
			c.at, c.ended, c.upstream, c.model, c.err, c.connecting, c.connected, c.reused, c.sent, c.firstByte, c.firstChunk,
		})
	}
	return s
}

func (p *prompt) shown() shownPrompt {
	s := shownPrompt{
		At: p.at, Upstream: p.upstream, Model: p.model, Format: p.format, Again: p.again, Native: p.native,
		Stops: p.stops, MaxTokens: p.most, Size: p.text.size, Sections: append([]section{}, p.sections...),
		Completion: p.completion.size, Thinking: p.thinking.size, Chunks: len(p.chunks), Stop: p.stop, StopSequence: p.stopSequence,
	}
	if n := len(p.chunks); n > 0 {
		s.First, s.Last = p.chunks[0].at, p.chunks[n-1].at
	}
	return s
}

// addGaps adds the pauses between chunks to gaps, and keeps the longest ones.
func (p *prompt) addGaps(gaps []gap) []gap {
	const most, least = 20, 1000
	for i := 1; i < len(p.chunks); i++ {
		g := gap{p.chunks[i-1].at, p.chunks[i].at}
		if g.To-g.From < least {
			continue
		}
		if len(gaps) < most {
			gaps = append(gaps, g)
			continue
		}
		shortest := 0
		for j, other := range gaps {
			if other.To-other.From < gaps[shortest].To-gaps[shortest].From {
				shortest = j
			}
		}
		if g.To-g.From > gaps[shortest].To-gaps[shortest].From {
			gaps[shortest] = g
		}
	}
	return gaps
}
