//go:build !race

package testcost

// UnderRace: the race detector is on, which takes memory and time of its own.
const UnderRace = false
