package prompt

import (
	"fmt"
	"regexp"
	"strings"

	"dragoman/translate/format"
)

// templateTools is the place of the tool descriptions in a template.
const templateTools = "{{tools}}"

// placeholder matches placeholders of any name, so that a misspelled one is rejected and never
// shown to the model.
var placeholder = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// CheckTemplate returns an error if a template is not valid for the named format: see
// [Target.Template]. name is one of [format.Names]; "" means the default. A template has {{tools}}
// exactly once, at the place of the tool descriptions, and no other placeholder in double braces.
// It also has the tags that begin and end a call of the format, because it has to show the model
// how to write one.
func CheckTemplate(template, name string) error {
	f, err := format.Named(name)
	if err != nil {
		return err
	}
	for _, found := range placeholder.FindAllString(template, -1) {
		if found != templateTools {
			return fmt.Errorf("unknown placeholder %s. The only placeholder is %s", found, templateTools)
		}
	}
	if n := strings.Count(template, templateTools); n != 1 {
		return fmt.Errorf("it has the placeholder %s %d times. Use it exactly once", templateTools, n)
	}
	for _, part := range []string{f.CallOpener, f.CallCloser} {
		if !strings.Contains(template, part) {
			return fmt.Errorf("it does not show the model how to write a call. Add %s", part)
		}
	}
	return nil
}
