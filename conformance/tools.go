package conformance

// The tools that the cases offer.

// weather is the tool that the questions are about.
var weather = Tool{
	Name:        "get_weather",
	Description: "Returns the weather of a city as text.",
	Schema: Schema{
		Type: "object",
		Properties: map[string]any{
			"city": map[string]any{"type": "string", "description": "The city's name"},
			"days": map[string]any{"type": "integer", "description": "How many days ahead"},
		},
		Required: []string{"city"},
	},
}

// clock is a tool that takes no arguments.
var clock = Tool{Name: "get_time", Description: "Returns the time in UTC.", Schema: Schema{Type: "object", Properties: map[string]any{}}}

// both are the tools that simulated conversations offer.
var both = []Tool{weather, clock}

// note is a tool with a parameter of each type.
var note = Tool{
	Name:        "write_note",
	Description: "Stores a note.",
	Schema: Schema{
		Type: "object",
		Properties: map[string]any{
			"text":   map[string]any{"type": "string"},
			"code":   map[string]any{"type": "string"},
			"number": map[string]any{"type": "integer"},
			"share":  map[string]any{"type": "number"},
			"public": map[string]any{"type": "boolean"},
			"tags":   map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		},
		Required: []string{"text"},
	},
}
