package telemetry

import (
	"net/http"
	"strings"
	"testing"
)

const (
	aTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	aSpan  = "00f067aa0ba902b7"
)

func TestPropagation(t *testing.T) {
	for _, parent := range []string{
		"00-" + aTrace + "-" + aSpan + "-01", "00-" + aTrace + "-" + aSpan + "-00", "00-" + aTrace + "-" + aSpan + "-03",
		"cc-" + aTrace + "-" + aSpan + "-01", "cc-" + aTrace + "-" + aSpan + "-01-more",
	} {
		p := parse(http.Header{headerParent: {parent}, headerState: {"a=1", "b=2"}})
		if p == nil || p.trace.String() != aTrace || p.sampled != (parent[54] != '0') || p.state != "a=1,b=2" {
			t.Errorf("%s: %+v", parent, p)
			continue
		}
		out := http.Header{}
		p.write(out)
		if want := "00-" + aTrace + "-" + aSpan + "-0" + map[bool]string{false: "0", true: "1"}[p.sampled]; out.Get(headerParent) != want || out.Get(headerState) != "a=1,b=2" {
			t.Errorf("%s is passed on as %v", parent, out)
		}
	}
	for _, parent := range []string{
		"", "00", "ff-" + aTrace + "-" + aSpan + "-01", "00-" + aTrace + "-" + aSpan + "-01-", "00-" + aTrace + "-" + aSpan + "-0", "cc-" + aTrace + "-" + aSpan + "-01x",
		"00-" + strings.ToUpper(aTrace) + "-" + aSpan + "-01", "00-" + strings.Repeat("0", 32) + "-" + aSpan + "-01", "00-" + aTrace + "-" + strings.Repeat("0", 16) + "-01",
		"zz-" + aTrace + "-" + aSpan + "-01", "00_" + aTrace + "-" + aSpan + "-01",
	} {
		if p := parse(http.Header{headerParent: {parent}}); p != nil {
			t.Errorf("%q: %+v", parent, p)
		}
	}
	if p := parse(http.Header{headerParent: {"00-" + aTrace + "-" + aSpan + "-01"}, headerState: {strings.Repeat("a", 513)}}); p == nil || p.state != "" {
		t.Errorf("a long state: %+v", p)
	}
}

func TestSampler(t *testing.T) {
	begun, not := &place{sampled: true}, &place{}
	for _, test := range []struct {
		sampler
		parent *place
		want   int // of 10,000, about
	}{
		{sampler{ratio: 1}, nil, 10000}, {sampler{ratio: 1}, not, 10000}, {sampler{}, begun, 0}, {sampler{ratio: .25}, begun, 2500}, {sampler{ratio: .25}, nil, 2500},
		{sampler{parentBased: true, ratio: 1}, nil, 10000}, {sampler{parentBased: true, ratio: 1}, not, 0}, {sampler{parentBased: true}, begun, 10000},
		{sampler{parentBased: true, ratio: .25}, nil, 2500}, {sampler{parentBased: true, ratio: .25}, begun, 10000},
	} {
		got := 0
		for range 10000 {
			id := newTraceID()
			if test.samples(id, test.parent) {
				got++
				if higher := test.sampler; !(sampler{higher.parentBased, higher.ratio + .1}).samples(id, test.parent) {
					t.Fatalf("%+v takes %s, and a higher ratio does not", test, id)
				}
			}
		}
		if got < test.want-300 || got > test.want+300 {
			t.Errorf("%+v, parent %+v: %d", test.sampler, test.parent, got)
		}
	}
}
