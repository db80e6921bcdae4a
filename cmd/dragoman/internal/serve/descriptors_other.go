//go:build !unix

package serve

// descriptors returns how many files and connections the process may have open. On other systems the limit is unknown;
// this is a careful guess.
func descriptors() int64 { return 1 << 14 }
