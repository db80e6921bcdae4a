package schema

// kindSet is a set of JSON types. In a Schema, the empty set allows every type.
type kindSet uint16

// The members of a kindSet.
const (
	kindNull kindSet = 1 << iota
	kindBoolean
	kindInteger
	kindNumber
	kindObject
	kindArray
	kindString

	// What a schema can accept apart from types: see [Schema.accepts].
	acceptsAny  // anything
	acceptsEnum // a member of an enum

	kindNothing // no value: see [conflicting]
)

// kindNames maps the names of JSON Schema to types.
var kindNames = map[string]kindSet{
	"null": kindNull, "boolean": kindBoolean, "integer": kindInteger, "number": kindNumber,
	"object": kindObject, "array": kindArray, "string": kindString,
}

// typeWords are the names of the types, the most common first.
var typeWords = []string{"string", "integer", "boolean", "number", "object", "array", "null"}
