package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"dragoman/conformance"
	"dragoman/conformance/install"
)

// TestInstructor makes a model fill the types of a Python program: in one piece, in part while it streams, as
// elements of a list, a second time after a wrong answer, and with a cut answer. The library only forces
// calls and holds no conversations, so it cannot run the cases.
func TestInstructor(t *testing.T) {
	const (
		items = `<items>[{"name": "tea", "count": 2, "tags": ["hot", "<green>"]}, {"name": "Käse", "count": 1, "tags": []}]</items>`
		order = `<customer>Åsa 晴れ 😀 <b>&amp; "Co"</b></customer>
<priority>high</priority>
<paid>true</paid>
<price>12.5</price>
<code>007</code>
` + items
		none   = "<name>tea</name>\n<count>0</count>\n<tags>[]</tags>"
		item   = "<name>tea</name>\n<count>2</count>\n<tags>[\"hot\", \"<green>\"]</tags>"
		half   = "<count>2</count>\n<name>half a na"
		halves = `<tasks>[{"name": "tea", "count": 2, "tags": []}, {"count": 1, "tags": [], "name": "half a na`
		ends   = "\n</parameters>\n</invoke>\n</function_calls>"
	)
	folder := filepath.Join("..", "instructor")
	python := install.Python(t, filepath.Join(folder, "requirements.txt"))
	tasks := strings.NewReplacer("<items>", "<tasks>", "</items>", "</tasks>").Replace(items)
	url, model := conformance.ServeScript(t, order+ends, order+ends, tasks+ends, none+ends, item+ends, none+ends, half, halves, half)
	install.Run(t, folder, python, "orders.py", url)

	requests := model.Requests()
	if len(requests) != 9 {
		t.Fatalf("the model was asked %d times, want 9", len(requests))
	}
	prompt := requests[4].Prompt.Text()
	for _, want := range []string{"<count>0</count>", "<error>", "Input should be greater than 0", "</error>"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the model was asked once more without %q:\n%s", want, prompt)
		}
	}
}
