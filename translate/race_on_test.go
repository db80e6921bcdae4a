//go:build race

package translate

const underRace = true
