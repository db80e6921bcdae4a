// Package schema reads the JSON Schemas of tools, for two uses:
//
//   - [Compile] keeps what decides the type of a value that a model wrote as text;
//     [AppendTyped] then turns the text into JSON.
//   - [Describe] describes a tool's parameters in words for a prompt, and leaves the rest
//     as JSON Schema.
//
// Both read a $ref with the same function (ref.go). Neither follows a reference into another
// document.
//
// Schemas come from clients, and may lead back to themselves in any way. Every operation on a
// schema remembers where it was or has a budget, so its cost is linear in the length of the schema.
package schema
