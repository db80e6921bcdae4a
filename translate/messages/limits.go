package messages

// MaxMessages is how many messages a request may have (docs/reference/messages-api.md §2).
const MaxMessages = 100_000

// MaxBlocks is how many content blocks a request may have in all, those within
// others included.
const MaxBlocks = 100_000

// MaxMembers is how many members an object may have whose members have a meaning.
// The API knows of some forty.
const MaxMembers = 1000

// MaxTools is how many tools a request may have. Those with the most have some
// hundreds.
const MaxTools = 10_000

// MaxStops is how many stop sequences a request may have. Clients send a handful.
const MaxStopSequences = 10_000

// maxStopBytes is how long they may be together: to look for them takes memory for each
// byte.
const maxStopBytes = 64 << 10

// MaxSchemaValues is how many values and names the schemas of a request may hold
// together: each of them is taken apart to be read by, and so takes memory. Some
// hundreds of tools have a tenth of that.
const MaxSchemaValues = 100_000

// MaxDropped is how many fields of a request may be left out. Some are named by the
// client.
const MaxDropped = 200

// maxDepth is how deep a request may be nested, the body itself being the first
// level. Real requests stay below 30.
const maxDepth = 200

// maxNames is how many members the objects around a place may have together. To
// find a name that occurs twice, all of them have to be remembered.
const maxNames = 50_000
