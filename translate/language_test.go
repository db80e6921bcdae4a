package translate

import (
	"reflect"
	"strings"
	"testing"
)

// Every language says everything, if need be in English, and names the tool where a
// sentence is about one.
func TestLanguagesSayEverything(t *testing.T) {
	for _, l := range languages {
		v := reflect.ValueOf(l)
		texts := 0
		for i := range v.NumField() {
			name, text := v.Type().Field(i).Name, v.Field(i).String()
			if name == "name" || name == "common" {
				continue
			}
			if texts++; text == "" {
				t.Errorf("%s: %s is empty", l.name, name)
			}
			names := 0
			if name == "callTool" || name == "toolFits" {
				names = 1
			}
			if strings.Count(text, "%s") != names || strings.Count(text, "%") != names {
				t.Errorf("%s: %s is %q", l.name, name, text)
			}
		}
		if n := len(l.sentences()); n != texts {
			t.Errorf("%d of %d sentences fall back on English", n, texts)
		}
	}
	if portuguese.thinkFirst != "" || languages[1].thinkFirst != english.thinkFirst {
		t.Error("a sentence without a translation is not said in English")
	}
}
