package main

import "time"

// A stamp is nine bytes in the text that the fake upstream sends: a mark, seven base-36 digits of the
// time of sending in units of 100 ns, and the mark again. It has nothing that XML or JSON escape, so it
// passes any translation unchanged, and the load reads from it how long the text was on its way.
const (
	stampLen  = 9
	stampWrap = 36 * 36 * 36 * 36 * 36 * 36 * 36 // about 2.2 hours
	markText  = '^'                              // before the call
	markArg   = '~'                              // in its argument
)

const digits = "0123456789abcdefghijklmnopqrstuvwxyz"

// putStamp writes the stamp of a time to the first nine bytes.
func putStamp(b []byte, mark byte, t time.Time) {
	v := uint64(t.UnixNano()/100) % stampWrap
	b[0], b[stampLen-1] = mark, mark
	for i := stampLen - 2; i >= 1; i-- {
		b[i] = digits[v%36]
		v /= 36
	}
}

// stampAge reports whether b begins with a stamp, and how long before t it was made.
func stampAge(b []byte, t time.Time) (time.Duration, bool) {
	if len(b) < stampLen || (b[0] != markText && b[0] != markArg) || b[stampLen-1] != b[0] {
		return 0, false
	}
	var v uint64
	for _, c := range b[1 : stampLen-1] {
		switch {
		case '0' <= c && c <= '9':
			v = v*36 + uint64(c-'0')
		case 'a' <= c && c <= 'z':
			v = v*36 + uint64(c-'a'+10)
		default:
			return 0, false
		}
	}
	age := (uint64(t.UnixNano()/100)%stampWrap + stampWrap - v) % stampWrap
	if age > stampWrap/2 { // the clock was set back
		age = 0
	}
	return time.Duration(age) * 100, true
}
