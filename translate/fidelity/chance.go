package fidelity

import (
	"encoding/binary"
	"math/rand/v2"
)

// chance makes all random choices.
type chance struct {
	*rand.Rand
	foreign bool  // texts may contain markup of other makers' formats
	ordered bool  // members are in the order of the schema
	cut     *bool // set if a value lacks a required member, because it is nested too deeply; nil: nobody asks
}

// seeded returns the chance for the instance of a seed.
func seeded(seed uint64) chance { return chance{Rand: rand.New(rand.NewPCG(seed, 0x5eed))} }

// fromBytes returns a chance that a fuzzer controls. Each byte of data decides one choice; later choices
// are random.
func fromBytes(data []byte) chance {
	return chance{Rand: rand.New(&bytesSource{data, rand.NewPCG(uint64(len(data)), 0)})}
}

// bytesSource returns one number for each byte of data, and then random numbers.
type bytesSource struct {
	data []byte
	rest *rand.PCG
}

// Uint64 returns the next number.
func (s *bytesSource) Uint64() uint64 {
	if len(s.data) == 0 {
		return s.rest.Uint64()
	}
	// The byte goes into both halves of the number, because 32-bit choices use only one half.
	b := uint64(s.data[0])
	s.data = s.data[1:]
	var word [8]byte
	binary.BigEndian.PutUint64(word[:], s.rest.Uint64()>>8&0x00ffffff00ffffff)
	return binary.BigEndian.Uint64(word[:]) | b<<56 | b<<24
}

// oneIn returns true with probability 1/n.
func (c chance) oneIn(n int) bool { return c.IntN(n) == 0 }

// pick returns one element of list.
func pick[T any](c chance, list []T) T { return list[c.IntN(len(list))] }
