// Package schema reads the JSON Schemas of tools, in two ways that share one walk, one
// resolver of $ref and one set of names:
//
//	Compile   what decides the type of a value that a model wrote as text; Append types it
//	Describe  what a prompt says of a tool's parameters in words, and what it leaves as JSON
//
// Schemas come from clients. Whatever is done with one has a memory or a budget, so that
// the cost is linear in its length, however it folds back on itself.
package schema
