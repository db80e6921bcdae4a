package upstream

import (
	"bytes"
	"iter"
	"slices"

	"dragoman/translate/rawjson"
)

// Some servers cut a character that JSON escapes in two. One text ends in the first half of its surrogate
// pair, and the text of the next event begins with the second half:
//
//	{"content":"Hi \ud83d"}   {"content":"\ude00!"}
//
// JSON decoders refuse both texts.

// ping is an event that no wire has an answer in.
const ping = `{"type":"ping"}`

// wholeCharacters yields the events, which are JSON, with whole characters in their strings. It moves the
// second half of a pair to the event with the first half. A half without the other becomes U+FFFD. An event
// with a string that ends in a first half waits for the next event. A ping is yielded meanwhile, so that what
// was yielded before is not held up.
func wholeCharacters(events iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var held []byte // the event that waits, or nil
		for data, err := range events {
			if held != nil {
				held, data = joinHalves(held, data)
				if !yield(rawjson.ReplaceLoneSurrogates(held), nil) {
					return
				}
				held = nil
			}
			if err == nil && slices.ContainsFunc(rawjson.LoneSurrogates(data), isFirstHalf) {
				held = bytes.Clone(data)
				data = []byte(ping)
			}
			if !yield(rawjson.ReplaceLoneSurrogates(data), err) || err != nil {
				return
			}
		}
		if held != nil {
			yield(rawjson.ReplaceLoneSurrogates(held), nil)
		}
	}
}

// isFirstHalf reports whether the second half of a pair can follow in the next event.
func isFirstHalf(s rawjson.LoneSurrogate) bool { return s.First && s.AtStringEnd }

// isSecondHalf reports whether the first half of a pair can stand in the event before.
func isSecondHalf(s rawjson.LoneSurrogate) bool { return !s.First && s.AtStringBegin }

// joinHalves moves the second halves at the beginnings of strings of an event to the first halves in the
// event before it. If one event has more of them than the other, it is not known which belong together, and
// none is moved.
func joinHalves(before, event []byte) (joinedBefore, rest []byte) {
	firsts, seconds := halves(before, isFirstHalf), halves(event, isSecondHalf)
	if len(firsts) != len(seconds) {
		return before, event
	}
	atBefore, atEvent := 0, 0
	for i, second := range seconds {
		end := firsts[i] + rawjson.SurrogateLen
		joinedBefore = append(append(joinedBefore, before[atBefore:end]...), event[second:second+rawjson.SurrogateLen]...)
		rest = append(rest, event[atEvent:second]...)
		atBefore, atEvent = end, second+rawjson.SurrogateLen
	}
	return append(joinedBefore, before[atBefore:]...), append(rest, event[atEvent:]...)
}

// halves returns where the lone surrogates stand that is reports true of.
func halves(text []byte, is func(rawjson.LoneSurrogate) bool) (list []int) {
	for _, s := range rawjson.LoneSurrogates(text) {
		if is(s) {
			list = append(list, s.At)
		}
	}
	return list
}
