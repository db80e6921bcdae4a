package schema

// kinds is a set of JSON types; none set means that any is allowed.
type kindSet uint16

const (
	kindNull kindSet = 1 << iota
	kindBoolean
	kindInteger
	kindNumber
	kindObject
	kindArray
	kindString

	// What else a value can be read as: see [schema.takes].
	acceptsAny  // anything
	acceptsEnum // a member of an enum
)

var kindNames = map[string]kindSet{
	"null": kindNull, "boolean": kindBoolean, "integer": kindInteger, "number": kindNumber,
	"object": kindObject, "array": kindArray, "string": kindString,
}
