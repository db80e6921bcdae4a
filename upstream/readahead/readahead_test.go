package readahead

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// all takes what comes in steps of n bytes, or less at the end, and returns it.
func all(b *Buffer, n int) (string, error) {
	var out strings.Builder
	for {
		var err error
		for err == nil && len(b.Bytes()) < n {
			err = b.Fill()
		}
		part := b.Bytes()[:min(n, len(b.Bytes()))]
		out.Write(part)
		b.Take(len(part))
		if err != nil && len(b.Bytes()) == 0 {
			return out.String(), err
		}
	}
}

func TestBuffer(t *testing.T) {
	text := strings.Repeat("0123456789", 5000)
	cut := errors.New("cut")
	for _, step := range []int{1, 7, most, most + 1, 3 * most, len(text)} {
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			"with the error": iotest.DataErrReader(strings.NewReader(text)),
		} {
			if got, err := all(New(r), step); got != text || err != io.EOF {
				t.Errorf("%s, %d: %d bytes, %v", name, step, len(got), err)
			}
		}
		if got, err := all(New(io.MultiReader(strings.NewReader("ab"), iotest.ErrReader(cut))), step); got != "ab" || err != cut {
			t.Errorf("%d: %q, %v", step, got, err)
		}
	}
}

// What is in the buffer is taken without another read.
func TestBytesStay(t *testing.T) {
	b := New(strings.NewReader("abc"))
	if err := b.Fill(); err != nil {
		t.Fatal(err)
	}
	a := b.Bytes()
	b.Take(1)
	if string(a) != "abc" || string(b.Bytes()) != "bc" {
		t.Errorf("%q, then %q", a, b.Bytes())
	}
}

// The buffer is small again behind a part that was long.
func TestBufferShrinks(t *testing.T) {
	b := New(strings.NewReader(strings.Repeat("x", 10*most)))
	for len(b.Bytes()) < 9*most {
		if err := b.Fill(); err != nil {
			t.Fatal(err)
		}
	}
	b.Take(len(b.Bytes()))
	if _ = b.Fill(); cap(b.buf) != most {
		t.Errorf("a buffer of %d bytes", cap(b.buf))
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestNoProgress(t *testing.T) {
	if err := New(silent{}).Fill(); err != io.ErrNoProgress {
		t.Error(err)
	}
}
