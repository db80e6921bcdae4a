//go:build !race

package translate

const underRace = false
