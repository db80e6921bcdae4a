package translate

import (
	"fmt"
	"regexp"
	"strings"
)

// templateTools is the place of the tool descriptions in a template.
const templateTools = "{{tools}}"

var placeholder = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// CheckTemplate reports what is wrong with a [Target.Template] for a format. It has
// to say where the descriptions go, once, and to show the model how a call begins
// and ends.
func CheckTemplate(template, name string) error {
	f, err := formatOf(name)
	if err != nil {
		return err
	}
	for _, found := range placeholder.FindAllString(template, -1) {
		if found != templateTools {
			return fmt.Errorf("unknown placeholder %s: the one known is %s", found, templateTools)
		}
	}
	if n := strings.Count(template, templateTools); n != 1 {
		return fmt.Errorf("the placeholder %s stands in it %d times, not once", templateTools, n)
	}
	for _, part := range []string{f.callOpener, f.callCloser} {
		if !strings.Contains(template, part) {
			return fmt.Errorf("it does not show the model how to write a call: %s is missing", part)
		}
	}
	return nil
}
