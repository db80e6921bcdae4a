package fidelity

import (
	"encoding/binary"
	"math/rand/v2"
)

// chance makes all choices.
type chance struct {
	*rand.Rand
	foreign bool // texts may hold markup of the formats of other makers
}

// seeded returns the chance of a seed's instance.
func seeded(seed uint64) chance { return chance{Rand: rand.New(rand.NewPCG(seed, 0x5eed))} }

// fromBytes returns a chance that a fuzzer steers: the bytes of data make the first choices, one
// each.
func fromBytes(data []byte) chance {
	return chance{Rand: rand.New(&bytesSource{data, rand.NewPCG(uint64(len(data)), 0)})}
}

// bytesSource makes one number of each byte of data, then goes on at random.
type bytesSource struct {
	data []byte
	rest *rand.PCG
}

// Uint64 returns the next number.
func (s *bytesSource) Uint64() uint64 {
	if len(s.data) == 0 {
		return s.rest.Uint64()
	}
	// The byte stands in both halves of the number: choices of 32 bits look at one half.
	b := uint64(s.data[0])
	s.data = s.data[1:]
	var word [8]byte
	binary.BigEndian.PutUint64(word[:], s.rest.Uint64()>>8&0x00ffffff00ffffff)
	return binary.BigEndian.Uint64(word[:]) | b<<56 | b<<24
}

// oneIn reports true once in n times.
func (c chance) oneIn(n int) bool { return c.IntN(n) == 0 }

// pick returns one element of list.
func pick[T any](c chance, list []T) T { return list[c.IntN(len(list))] }
