package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"
)

// reading is what is taken from the body of one answer as it comes. It decodes no JSON, so that the
// load is cheap: what it looks for is nowhere in what the fake upstream sends.
type reading struct {
	stream, frames bool
	keep           bool // all of the body, to be verified
	whole          []byte
	lag            *samples

	events    int
	firstText time.Time // of the first delta with any text
	firstArg  time.Time // of the first stamp in the argument

	part  []byte // of a line or a frame that is not whole yet
	event []byte // that was decoded last
	carry []byte // what may be the beginning of a stamp
}

// reset prepares for another answer.
func (r *reading) reset(stream, frames, keep bool, lag *samples) {
	*r = reading{stream: stream, frames: frames, keep: keep, lag: lag,
		whole: r.whole[:0], part: r.part[:0], event: r.event[:0], carry: r.carry[:0]}
}

// take takes the next bytes of the body, read at t.
func (r *reading) take(piece []byte, t time.Time) error {
	if r.keep {
		r.whole = append(r.whole, piece...)
	}
	switch {
	case !r.stream:
		return nil
	case r.frames:
		return r.takeFrames(piece, t)
	}
	for len(piece) > 0 {
		line, rest, ended := bytes.Cut(piece, []byte("\n"))
		piece = rest
		if !ended || len(r.part) > 0 {
			r.part = append(r.part, line...)
			line = r.part
		}
		if !ended {
			return nil
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			r.look(data, t)
		}
		r.part = r.part[:0]
	}
	return nil
}

// takeFrames finds the events in AWS frames. Their checksums are looked at when the body is verified.
func (r *reading) takeFrames(piece []byte, t time.Time) error {
	r.part = append(r.part, piece...)
	for len(r.part) >= 4 {
		n := int(binary.BigEndian.Uint32(r.part))
		if n < 16 || n > 16<<20 {
			return fmt.Errorf("a frame of %d bytes", n)
		}
		if len(r.part) < n {
			return nil
		}
		if _, payload, ok := bytes.Cut(r.part[:n], []byte(`"bytes":"`)); ok {
			encoded, _, _ := bytes.Cut(payload, []byte(`"`))
			var err error
			if r.event, err = base64.StdEncoding.AppendDecode(r.event[:0], encoded); err != nil {
				return err
			}
			r.look(r.event, t)
		}
		r.part = append(r.part[:0], r.part[n:]...)
	}
	return nil
}

var textKeys = [][]byte{[]byte(`"partial_json"`), []byte(`"arguments"`), []byte(`"text"`), []byte(`"content"`)}

// look looks at one event's JSON for the text in it.
func (r *reading) look(event []byte, t time.Time) {
	r.events++
	for _, key := range textKeys {
		_, after, ok := bytes.Cut(event, key)
		value := bytes.TrimLeft(after, " :\t")
		if !ok || len(value) == 0 || value[0] != '"' {
			continue
		}
		end := stringEnd(value, 0)
		if end <= 2 {
			continue
		}
		if r.firstText.IsZero() {
			r.firstText = t
		}
		r.text(value[1:end-1], t)
		return
	}
}

// text finds the stamps in a delta, also one that a proxy has cut in two.
func (r *reading) text(text []byte, t time.Time) {
	if len(r.carry) > 0 {
		r.carry = append(r.carry, text[:min(len(text), stampLen-1)]...)
		r.stamp(r.carry, t)
		r.carry = r.carry[:0]
	}
	for {
		at := bytes.IndexAny(text, string([]byte{markText, markArg}))
		if at < 0 {
			return
		}
		text = text[at:]
		switch {
		case r.stamp(text, t):
			text = text[stampLen:]
		case len(text) < stampLen:
			r.carry = append(r.carry, text...)
			return
		default:
			text = text[1:]
		}
	}
}

// stamp reports whether text begins with a stamp, which then counts.
func (r *reading) stamp(text []byte, t time.Time) bool {
	age, ok := stampAge(text, t)
	if ok {
		r.lag.add(age)
		if text[0] == markArg && r.firstArg.IsZero() {
			r.firstArg = t
		}
	}
	return ok
}
