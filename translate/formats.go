package translate

import (
	"fmt"
	"strings"
)

// formats are all of them; the first is that of a target that names none.
var formats = [...]*format{legacyFormat: &legacyCalls, attributeFormat: &attributeCalls, jsonFormat: &jsonCalls}

const (
	legacyFormat = iota
	attributeFormat
	jsonFormat
)

// Formats returns the names of the formats, the default first.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// formatOf returns the format of a name. The error is for a name that is none.
func formatOf(name string) (*format, error) {
	if name == "" {
		return formats[0], nil
	}
	for _, f := range formats {
		if f.name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q: known are %s", name, strings.Join(Formats(), ", "))
}
