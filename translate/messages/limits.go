package messages

// The limits on a request are far beyond what real requests hold. They keep a hostile request from
// taking memory without end.

// MaxMessages is how many messages a request may have (docs/reference/messages-api.md §2).
const MaxMessages = 100_000

// MaxBlocks is how many content blocks a request may have in all, those inside others included.
const MaxBlocks = 100_000

// MaxMembers is how many members an object may have, if its members have a meaning. The API knows
// some forty.
const MaxMembers = 1000

// MaxTools is how many tools a request may have. Real requests have some hundreds at most.
const MaxTools = 10_000

// MaxExamples is how many input_examples the tools of a request may have in all. Real tools have a
// handful each.
const MaxExamples = 10_000

// MaxStopSequences is how many stop sequences a request may have. Clients send a handful.
const MaxStopSequences = 10_000

// maxStopBytes is how long the stop sequences may be together, in bytes: looking for them takes
// memory for each byte.
const maxStopBytes = 64 << 10

// maxSchemaValues is how many values and names the schemas of a request may hold together: each
// takes memory once a schema is compiled. Some hundreds of tools have a tenth of that.
const maxSchemaValues = 100_000

// MaxDropped is how many different fields of a request may be left out. Clients choose some of the
// names, and all are kept.
const MaxDropped = 200

// maxDepth is how deep a request may be nested; the body itself is the first level. Real requests
// stay below 30.
const maxDepth = 200

// maxNames is how many members the objects around a place may have together. All their names have
// to be remembered to find one that occurs twice.
const maxNames = 50_000
