package memo

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestTable(t *testing.T) {
	table := New[int](4, 8<<10, (8<<10)/8)
	if _, ok := table.Find([]byte("a")); ok {
		t.Error("an empty table has a result")
	}
	input := []byte("a")
	table.Keep(input, 1, 0)
	table.Keep(input, 2, 0)
	input[0] = 'b'
	if got, ok := table.Find([]byte("a")); !ok || got != 1 {
		t.Errorf("%d, %t; want the first result", got, ok)
	}
	if _, ok := table.Find(input); ok {
		t.Error("a result for another input")
	}
	var none *Table[int]
	none.Keep(input, 1, 0)
	if _, ok := none.Find(input); ok || none.Takes(0) {
		t.Error("a nil table keeps something")
	}
}

// TestTableIsBounded checks the limits of the table, and that one result takes at most an eighth of
// it.
func TestTableIsBounded(t *testing.T) {
	const most = 64 << 10
	table := New[int](16, most, most/8)
	for i := range 1000 {
		table.Keep(fmt.Append(nil, i), i, i*37%(2*most/8))
		bytes := 0
		for _, e := range table.entries {
			bytes += e.bytes
			if e.bytes > most/8 {
				t.Fatalf("one of %d bytes", e.bytes)
			}
		}
		if len(table.entries) > 16 || len(table.byInput) != len(table.entries) || bytes > most || bytes != table.bytes {
			t.Fatalf("%d results, %d by input, %d bytes, counted %d", len(table.entries), len(table.byInput), bytes, table.bytes)
		}
	}
	long := []byte(strings.Repeat("x", most/8))
	if table.Keep(long, 1, 0); table.Takes(len(long)) {
		t.Error("takes what is too long")
	}
	if _, ok := table.Find(long); ok {
		t.Error("keeps what is too long")
	}
}

// Inputs that come once do not displace inputs in use.
func TestTableKeepsWhatIsUsed(t *testing.T) {
	table := New[string](8, 1<<20, (1<<20)/8)
	table.Keep([]byte("used"), "", 0)
	for i := range 1000 {
		if _, ok := table.Find([]byte("used")); !ok {
			t.Fatalf("dropped after %d others", i)
		}
		table.Keep(fmt.Append(nil, i), "", 0)
	}
}

func TestTableAtOnce(t *testing.T) {
	table := New[int](8, 1<<20, (1<<20)/8)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 2000 {
				n := (i*7 + g) % 20
				input := fmt.Append(nil, n)
				if got, ok := table.Find(input); ok && got != n {
					t.Errorf("%d for %d", got, n)
				}
				table.Keep(input, n, n)
			}
		})
	}
	all.Wait()
}

func TestFindAllocatesNothing(t *testing.T) {
	table := New[string](8, 1<<20, (1<<20)/8)
	input := []byte(strings.Repeat("tools", 100))
	table.Keep(input, "text", 4)
	if n := testing.AllocsPerRun(100, func() { table.Find(input) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Clients do not share results, but share the room.
func TestOf(t *testing.T) {
	table := New[int](2, 1<<20, 1<<20)
	a, b := table.Of("a"), table.Of("b")
	a.Keep([]byte("x"), 1, 0)
	if _, ok := b.Find([]byte("x")); ok {
		t.Error("b finds what a sent")
	}
	b.Keep([]byte("x"), 2, 0)
	if got, ok := a.Find([]byte("x")); !ok || got != 1 {
		t.Errorf("a finds %d, %v", got, ok)
	}
	b.Keep([]byte("y"), 3, 0)
	if table.Len() != 2 {
		t.Errorf("%d results in the room of two", table.Len())
	}
}
