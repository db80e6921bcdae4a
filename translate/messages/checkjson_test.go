package messages

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// scans compares the two ways to scan a body: what the quick one takes, the other one takes too, with
// the same members. It reports whether the quick one took the body.
func scans(t *testing.T, body []byte, known []string) (quick bool) {
	t.Helper()
	members, _, quick := quickScan(t.Context(), body, known)
	if !quick {
		return false
	}
	want, err := tokenScan(t.Context(), body, known)
	if err != nil {
		t.Fatalf("taken quickly: %v", err)
	}
	if diff := cmp.Diff(want, members, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-tokens +quick):\n%s", diff)
	}
	return true
}

// FuzzScan holds that a body that is scanned quickly is one that may be read.
func FuzzScan(f *testing.F) {
	for _, body := range []string{
		with(`"tools":[` + weather + `],"tool_choice":{"type":"tool","name":"weather"}`), with(`"metadata":{"User_ID":"u"},"x":{"Model":[{"Role":1}]},"role":2`),
		with(`"thinking":{"Type":"adaptive"}`), with(`"Model":1`), with(`"a":[[{"b":{"Text":1}}],{"Text":2}]`), with(`"a":[{"text":{"b":1}},{"TEXT":2}]`),
		withMessages(`{"role":"user","content":[{"type":"tool_use","input":{"Type":{"Text":[]}},"Name":1}]}`, ""), `{"mo\u0064el":1}`, `{"model":1,"model":2}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		scans(t, body, nil)
		scans(t, body, requestMembers)
	})
}

// TestScanQuickly holds that ordinary requests are scanned quickly.
func TestScanQuickly(t *testing.T) {
	for name, body := range map[string][]byte{
		"agent": agentRequest(12, 12, 4700), "conversation": longConversation(), "small": []byte(with("")),
		"unknown members": []byte(with(`"x":{"y":[1,2.5e-3,true,null]}`)),
		"client's names":  []byte(with(`"tools":[{"name":"a","input_schema":{"type":"object","properties":{"Type":{"TEXT":"\ud83c\udf0d"}}}}]`)),
		"white space":     []byte(" {\n \"model\" : \"m\" ,\r\n\t\"messages\" : [ ] }\n"),
	} {
		if !scans(t, body, requestMembers) {
			t.Errorf("%s: scanned token by token", name)
		}
	}
}
