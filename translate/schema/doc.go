// Package schema reads the JSON Schemas of tools, for two uses:
//
//   - [Compile] keeps what decides the type of a value that a model wrote as text;
//     [AppendTyped] then turns the text into JSON.
//   - [Describe] says in words what a prompt tells of a tool's parameters, and leaves the rest
//     as JSON Schema.
//
// Both read a $ref with one function (ref.go), and neither follows a reference into another
// document.
//
// Schemas come from clients, and may lead back to themselves in any way. Everything that is
// done with one has a memory or a budget, so that the cost is linear in its length.
package schema
