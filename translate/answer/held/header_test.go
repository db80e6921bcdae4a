package held_test

import (
	"fmt"
	"testing"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
)

func TestHeaders(t *testing.T) {
	for text, want := range map[string]string{
		`<|channel|>analysis<|message|>I see.`: `analysis "" ""`,
		`<|start|>assistant<|channel|>commentary to=functions.book <|constrain|>json<|message|>{"note":1}`: `commentary "" "functions.book"`,
		`<|channel|>commentary to=functions.book json{}`:                                                   `commentary "" "functions.book"`,
		`<|start|>functions.book to=assistant<|channel|>commentary<|message|>ok`:                           `commentary "functions.book" ""`,
		`<|channel|>commentary to=functions.book<|message|>I see.`:                                         `no`,
		`<|channel|>commentary to=functions.book<|message|>null<|call|>`:                                   `commentary "" "functions.book"`,
		`<|channel|>commentary to=functions.book<|message|>" {} " <|end|>`:                                 `commentary "" "functions.book"`,
		`<|channel|>commentary to=functions.book<|message|><|call|>`:                                       `commentary "" "functions.book"`,
		`<|channel|>commentary to=functions.book<|message|>"nul`:                                           `more`,
		`<|channel|>commentary to=functions.book<|message|>null and<|call|>`:                               `no`,
		`<|channel|>I think<|end|>`:                                                                        ` "" ""`,
		`<|channel|>I think<|en`:                                                                           `more`,
		`<|channel|>final`:                                                                                 `more`,
		`<|chan`:                                                                                           `more`,
		`<|other|>`:                                                                                        `no`,
	} {
		h, v := held.MatchHeader([]byte(text), false)
		if got := saidOf(h, v); got != want {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
}

func TestErasedHeaders(t *testing.T) {
	for text, want := range map[string]string{
		`commentary to=functions.book json {"note":1}`: ` "" "functions.book"`,
		`assistantcommentary to=functions.bookjson{}`:  ` "" "functions.book"`,
		`commentary to=functions.other json {}`:        `no`,
		`commentary to=functions.book I see.`:          `no`,
		`commentary to=functions.bo`:                   `more`,
	} {
		h, v := held.MatchErasedHeader([]byte(text), markup.NeedMore, &tools)
		if got := saidOf(h, v); got != want {
			t.Errorf("%s is %s; want %s", text, got, want)
		}
	}
	for text, want := range map[string]markup.Verdict{"": markup.NeedMore, " \n": markup.Match, "<|call|>": markup.Match, "assistantfinal": markup.Match, " as": markup.NeedMore, " is a call": markup.NoMatch} {
		if got := held.MatchErasedEnd([]byte(text), false); got != want {
			t.Errorf("%q is %d; want %d", text, got, want)
		}
	}
}

// saidOf formats a header.
func saidOf(h held.Header, v markup.Verdict) string {
	switch v {
	case markup.NeedMore:
		return "more"
	case markup.NoMatch:
		return "no"
	}
	return fmt.Sprintf("%s %q %q", h.Channel, h.Role, h.Tool)
}
