// Package replay has the request of an operator to answer an exchange once more. Such a request needs no key, so only
// packages below proxy can make one: the inspector.
package replay

// Replay is how to answer a request that an operator sends again. "" means as in the request and its route.
type Replay struct {
	Model  string // replaces the model of the request
	Format string // replaces the format of the model's entry: one of [translate.Formats]
}
