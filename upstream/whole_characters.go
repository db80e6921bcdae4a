package upstream

import (
	"bytes"
	"iter"
	"slices"

	"dragoman/translate/rawjson"
)

// Some servers split a character in an escaped JSON string. One text ends with the first half of a surrogate
// pair, and the text of the next event begins with the second half:
//
//	{"content":"Hi \ud83d"}   {"content":"\ude00!"}
//
// JSON decoders refuse both texts.

// ping is an event without any part of an answer, on every wire.
const ping = `{"type":"ping"}`

// wholeCharacters yields the events, which are JSON, with whole characters in their strings. It moves the
// second half of a pair to the event with the first half. A half without the other becomes U+FFFD. An event
// with a string that ends in a first half waits for the next event. Meanwhile wholeCharacters yields a ping,
// so that the earlier events are sent immediately.
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

// isFirstHalf reports whether the next event can have the second half of the pair.
func isFirstHalf(s rawjson.LoneSurrogate) bool { return s.First && s.AtStringEnd }

// isSecondHalf reports whether the event before can have the first half of the pair.
func isSecondHalf(s rawjson.LoneSurrogate) bool { return !s.First && s.AtStringBegin }

// joinHalves moves second halves at the beginnings of strings in event to the first halves in before. If the
// numbers of halves differ, it moves none, because it cannot tell which belong together.
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

// halves returns the positions of the lone surrogates for which is returns true.
func halves(text []byte, is func(rawjson.LoneSurrogate) bool) (list []int) {
	for _, s := range rawjson.LoneSurrogates(text) {
		if is(s) {
			list = append(list, s.At)
		}
	}
	return list
}
