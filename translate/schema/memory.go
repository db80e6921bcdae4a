package schema

// This file estimates the memory of a compiled schema, for caches.

// Approximate sizes of the parts of a schema in bytes. A property includes its entries in maps.
const (
	schemaBytes   = 256
	propertyBytes = 192
	enumTextBytes = 64
	elementBytes  = 24 // one element of a list

	patternBytes     = 48
	patternStepBytes = 256 // one step of a used pattern
)

// Memory returns about how many bytes s takes, with all schemas that it leads to. It does not count
// the schema's text, which s refers to.
func (s *Schema) Memory() int {
	total := 0
	seen := map[*Schema]bool{}
	queue := []*Schema{s}
	visit := func(list ...*Schema) {
		for _, s := range list {
			if s != nil && !seen[s] {
				seen[s] = true
				queue = append(queue, s)
			}
		}
	}
	seen[s] = true
	for len(queue) > 0 {
		s := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		total += schemaBytes + elementBytes*(cap(s.enum)+cap(s.alts)+cap(s.parts)+cap(s.branches)+cap(s.Required))
		for _, p := range s.Properties {
			total += propertyBytes + len(p.Name) + len(p.Tag)
			visit(p.schema)
			total += elementBytes * cap(p.variants)
		}
		if s.enumTexts != nil {
			total += enumTextBytes * len(s.enum) // the map is made for this many texts, even if few differ
		}
		for text := range s.enumTexts {
			total += len(text)
		}
		visit(s.items, s.AdditionalProperties)
		for _, p := range s.patterns {
			total += patternBytes
			if p.name != nil {
				total += patternStepBytes * p.steps
			}
			visit(p.schema)
		}
		visit(s.alts...)
		visit(s.parts...)
		visit(s.branches...)
		for _, c := range s.conditions {
			visit(c.then, c.test)
		}
	}
	return total
}
