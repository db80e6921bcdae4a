package messages

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// describedTool is the description of a tool for a text model.
type describedTool struct {
	Type       string   `json:"type"`
	Required   []string `json:"required"`
	Properties map[string]struct {
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Enum        []string `json:"enum"`
		Items       struct {
			Type string `json:"type"`
		} `json:"items"`
	} `json:"properties"`
}

func decodeTool(t *testing.T, tool string) (Tool, describedTool) {
	t.Helper()
	r, err := Decode([]byte(with(`"tools":[`+tool+`]`)), DecodeOptions{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	var s describedTool
	if err := json.Unmarshal(r.Tools[0].InputSchema, &s, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("the schema of %s: %v", tool, err)
	}
	return r.Tools[0], s
}

func TestBuiltinTools(t *testing.T) {
	const (
		display = `"display_width_px":1024,"display_height_px":768`
		editor  = "view create str_replace insert"
		first   = "key type mouse_move left_click left_click_drag right_click middle_click double_click screenshot cursor_position"
		later   = first + " left_mouse_down left_mouse_up triple_click scroll hold_key wait"
	)
	for _, c := range []struct {
		typ, name, options string
		commands           string // the allowed values of command or action
		properties         string
	}{
		{"bash_20241022", "bash", "", "", "command restart"},
		{"bash_20250124", "bash", "", "", "command restart"},
		{"bash_20990101", "bash", "", "", "command restart"},
		{"text_editor_20241022", "str_replace_editor", "", editor + " undo_edit", "command path file_text old_str new_str insert_line view_range"},
		{"text_editor_20250124", "str_replace_editor", "", editor + " undo_edit", "command path file_text old_str new_str insert_line view_range"},
		{"text_editor_20250429", "str_replace_based_edit_tool", "", editor, "command path file_text old_str new_str insert_line view_range"},
		{"text_editor_20250728", "str_replace_based_edit_tool", `"max_characters":9000`, editor, "command path file_text old_str new_str insert_line view_range"},
		{"text_editor_20990101", "str_replace_based_edit_tool", "", editor, "command path file_text old_str new_str insert_line view_range"},
		{"memory_20250818", "memory", "", editor + " delete rename", "command path view_range file_text old_str new_str insert_line insert_text old_path new_path"},
		{"computer_20241022", "computer", display, first, "action coordinate text"},
		{"computer_20250124", "computer", display + `,"display_number":1`, later, "action coordinate text start_coordinate scroll_direction scroll_amount duration"},
		{"computer_20251124", "computer", display + `,"enable_zoom":false`, later, "action coordinate text start_coordinate scroll_direction scroll_amount duration"},
		{"computer_20251124", "computer", display + `,"enable_zoom":true`, later + " zoom", "action coordinate text start_coordinate scroll_direction scroll_amount duration region"},
	} {
		t.Run(c.typ, func(t *testing.T) {
			options := c.options
			if options != "" {
				options = "," + options
			}
			tool, schema := decodeTool(t, `{"type":"`+c.typ+`","name":"`+c.name+`"`+options+`}`)
			if tool.Type != c.typ || tool.Name != c.name || tool.Description == "" || schema.Type != "object" {
				t.Errorf("the tool is %+v", tool)
			}
			var names, commands []string
			for name, p := range schema.Properties {
				names = append(names, name)
				if p.Type == "" || p.Description == "" || (p.Type == "array") != (p.Items.Type != "") {
					t.Errorf("%s is not described: %+v", name, p)
				}
				if name == "command" || name == "action" {
					commands = p.Enum
				}
			}
			wantWords(t, "properties", names, c.properties)
			wantWords(t, "commands", commands, c.commands)
			for _, name := range schema.Required {
				if !slices.Contains(names, name) {
					t.Errorf("%s is required, but not a property", name)
				}
			}
		})
	}
}

func wantWords(t *testing.T, what string, got []string, want string) {
	t.Helper()
	words := strings.Fields(want)
	slices.Sort(words)
	if got = slices.Sorted(slices.Values(got)); !slices.Equal(got, words) {
		t.Errorf("%s are %q, want %q", what, got, words)
	}
}

func TestBuiltinToolOptions(t *testing.T) {
	for tool, want := range map[string]string{
		`{"type":"computer_20250124","name":"computer","display_width_px":1024,"display_height_px":768}`:                    "The screen is 1024 pixels wide and 768 pixels high.",
		`{"type":"computer_20250124","name":"computer","display_width_px":1,"display_height_px":1,"display_number":3}`:      "It is display number 3.",
		`{"type":"text_editor_20250728","name":"str_replace_based_edit_tool","max_characters":9000,"cache_control":null}`:   "A view shows no more than 9000 characters.",
		`{"type":"text_editor_20250728","name":"str_replace_based_edit_tool","max_characters":null,"allowed_callers":null}`: "insert puts text after a line.",
	} {
		if got, _ := decodeTool(t, tool); !strings.HasSuffix(got.Description, want) {
			t.Errorf("%s is described as %q, want it to end in %q", tool, got.Description, want)
		}
	}
}
