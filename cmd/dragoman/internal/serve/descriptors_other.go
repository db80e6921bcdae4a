//go:build !unix

package serve

// descriptors returns how many files and connections the process may have open. The limit
// of other systems is not known; this is a careful guess.
func descriptors() int64 { return 1 << 14 }
