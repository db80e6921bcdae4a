package messages

// These limits are far above what real requests need. They keep hostile requests from taking
// unlimited memory.

// MaxMessages is the most messages in a request (docs/reference/messages-api.md §2).
const MaxMessages = 100_000

// MaxBlocks is the most content blocks in a request, including blocks inside blocks.
const MaxBlocks = 100_000

// MaxMembers is the most members in an object whose names the API defines. The API has about forty.
const MaxMembers = 1000

// MaxTools is the most tools in a request. Real requests have some hundreds.
const MaxTools = 10_000

// MaxExamples is the most input_examples in all tools of a request. Real tools have a handful each.
const MaxExamples = 10_000

// MaxStopSequences is the most stop sequences in a request. Clients send a handful.
const MaxStopSequences = 10_000

// maxStopBytes is the most bytes in all stop sequences together. The search for them needs memory
// for each byte.
const maxStopBytes = 64 << 10

// maxSchemaValues is the most values and names in all schemas of a request. Each takes memory when
// a schema is compiled. Some hundreds of tools have a tenth of this.
const maxSchemaValues = 100_000

// MaxDropped is the most different fields of a request that Dragoman leaves out. Dragoman keeps
// their names, and clients can invent names.
const MaxDropped = 200

// maxDepth is the most levels of nesting in a request, including the body itself. Real requests
// have less than 30.
const maxDepth = 200

// maxNames is the most members in an object and all objects around it. The decoder keeps their
// names to find duplicates.
const maxNames = 50_000
