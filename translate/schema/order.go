package schema

// This file visits a graph of schemas, which may have cycles.

// visitInOrder calls visit once for each schema, after the schemas that next returns for it. In a
// cycle, one schema is visited before its next ones. It keeps its own stack, because schemas may be
// nested as deep as their text is long.
func visitInOrder(all []*Schema, next func(*Schema) []*Schema, visit func(*Schema)) {
	const entered, done = 1, 2
	type step struct {
		*Schema
		next []*Schema
	}
	for _, s := range all {
		s.visit = 0
	}
	var path []step
	enter := func(s *Schema) {
		if s.visit == 0 && s != anySchema {
			s.visit = entered
			path = append(path, step{s, next(s)})
		}
	}
	for _, s := range all {
		enter(s)
		for len(path) > 0 {
			last := &path[len(path)-1]
			if len(last.next) == 0 {
				visit(last.Schema)
				last.visit = done
				path = path[:len(path)-1]
				continue
			}
			to := last.next[0]
			last.next = last.next[1:]
			enter(to)
		}
	}
}
