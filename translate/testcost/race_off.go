//go:build !race

package testcost

// UnderRace says that the race detector watches, which takes memory and time of its own.
const UnderRace = false
