package schema

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/schema/schematest"
)

// TestMemory checks that Memory is not far below the real size.
func TestMemory(t *testing.T) {
	texts := map[string]string{"properties": `{"properties":{`, "enum": `{"enum":[`, "alternatives": `{"anyOf":[`}
	for i := range 500 {
		texts["properties"] += fmt.Sprintf(`"p%d":{"type":"string","minLength":1},`, i)
		texts["enum"] += fmt.Sprintf(`"value %d",`, i)
		texts["alternatives"] += fmt.Sprintf(`{"properties":{"q%d":{"enum":[%d]}}},`, i, i)
	}
	texts["properties"] += `"last":{}}}`
	texts["enum"] += `0]}`
	texts["alternatives"] += `{}]}`
	for _, r := range schematest.Requests() {
		texts[r.Name] = r.Schema
	}
	for name, text := range texts {
		raw := jsontext.Value(strings.Clone(text))
		var kept [3]*Schema
		before := heap()
		for i := range kept {
			kept[i] = Compile(raw)
		}
		took := int(heap()-before) / len(kept)
		if says := kept[0].Memory(); took > 2*says+4<<10 {
			t.Errorf("%s: %d bytes of schema take %d bytes, and not %d", name, len(text), took, says)
		}
		runtime.KeepAlive(&kept)
	}
}

// heap returns the bytes of the heap in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
