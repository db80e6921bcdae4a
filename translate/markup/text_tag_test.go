package markup

import "testing"

// TestIsText checks that IsText never contradicts MatchTextTag, whatever follows.
func TestIsText(t *testing.T) {
	names := []string{"", "a", "div", "invok", "invoke", "INVOKE", "invokes", "function_calls", "thinking", "ns:invoke", "ns:b", "a%", "!--", "ä",
		"search_quality_reflection", "search_quality_reflections_and_more_than_that"}
	ends := []string{"", ">", " >", "/>", " a=\"b\">", " a=\"<", "<", "=", "\"", "\x01", ":", ":invoke>", "e>", "s>", "<invoke>"}
	seen := map[bool]int{}
	for _, slash := range []string{"<", "</"} {
		for _, name := range names {
			for _, end := range ends {
				text := slash + name + end
				quick := IsText([]byte(text))
				seen[quick]++
				for _, more := range ends {
					for _, eof := range []bool{false, true} {
						if _, v := MatchTextTag([]byte(text+more), eof); quick && v != NoMatch {
							t.Errorf("%q is text, but before %q the verdict is %v", text, more, v)
						}
					}
				}
			}
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("the look decides too little, or too much: %v", seen)
	}
}
