package messages

import (
	"strings"
)

// This file describes the tools that the Messages API itself defines, for models that only complete
// text.

// builtin is a client tool that the API defines. A request names only its type
// (docs/reference/messages-api.md §5), because the API's own models know the rest. Other models do
// not, so Dragoman shows them its own description and schema.
type builtin struct {
	prefix      string // the type without its date
	date        string
	name        string // the name that the API requires
	description string
	schema      string
}

// builtins are the known versions, the newest version of each tool first. A type with an unknown
// date gets the newest version.
var builtins = []builtin{
	{"bash_", "20250124", "bash", bashDescription, bashSchema},
	{"bash_", "20241022", "bash", bashDescription, bashSchema},
	{"text_editor_", "20250728", "str_replace_based_edit_tool", editorDescription, editorSchema},
	{"text_editor_", "20250429", "str_replace_based_edit_tool", editorDescription, editorSchema},
	{"text_editor_", "20250124", "str_replace_editor", editorDescription, editorUndoSchema},
	{"text_editor_", "20241022", "str_replace_editor", editorDescription, editorUndoSchema},
	{"memory_", "20250818", "memory", memoryDescription, memorySchema},
	{"computer_", "20251124", "computer", computerDescription, computerSchema},
	{"computer_", "20250124", "computer", computerDescription, computerSchema},
	{"computer_", "20241022", "computer", computerDescription, computerFirstSchema},
}

// findBuiltin returns the tool of a type such as "bash_20250124", or nil.
func findBuiltin(typ string) *builtin {
	var newest *builtin
	for i := range builtins {
		b := &builtins[i]
		date, ok := strings.CutPrefix(typ, b.prefix)
		switch {
		case !ok || len(date) != len("20060102") || strings.Trim(date, "0123456789") != "":
		case date == b.date:
			return b
		case newest == nil:
			newest = b
		}
	}
	return newest
}

// builtinTypes returns the types that a tool may have.
func builtinTypes() []string {
	types := []string{"custom"}
	for _, b := range builtins {
		types = append(types, b.prefix+b.date)
	}
	return types
}

const bashDescription = "Run commands in a bash shell. The shell keeps its state, such as the working directory and variables, " +
	"from one call to the next. Commands cannot be interactive."

const bashSchema = `{"type":"object","properties":{` +
	`"command":{"type":"string","description":"The command to run. Required unless restart is true."},` +
	`"restart":{"type":"boolean","description":"Set to true to start the shell anew instead of running a command."}}}`

const editorDescription = "View, create and edit text files. view shows a file with line numbers, or lists a directory. " +
	"create writes a whole file. str_replace replaces a text that occurs exactly once in the file. insert puts text after a line."

const editorSchema = `{"type":"object","properties":{` +
	`"command":{"type":"string","enum":["view","create","str_replace","insert"],"description":"What to do."},` +
	editorProperties + `},"required":["command","path"]}`

const editorUndoSchema = `{"type":"object","properties":{` +
	`"command":{"type":"string","enum":["view","create","str_replace","insert","undo_edit"],` +
	`"description":"What to do. undo_edit takes the last edit of the file back."},` +
	editorProperties + `},"required":["command","path"]}`

const editorProperties = `"path":{"type":"string","description":"Absolute path of the file or directory."},` +
	`"file_text":{"type":"string","description":"create: the content of the file."},` +
	`"old_str":{"type":"string","description":"str_replace: the text to replace, exactly as it is in the file, blanks included."},` +
	`"new_str":{"type":"string","description":"str_replace: the text to put in its place; nothing if absent. insert: the text to insert."},` +
	`"insert_line":{"type":"integer","description":"insert: the number of the line after which to insert; 0 is the start of the file."},` +
	`"view_range":{"type":"array","items":{"type":"integer"},` +
	`"description":"view: the first and the last line to show, counted from 1; -1 as the last is the end of the file. All lines if absent."}`

const memoryDescription = "Keep notes in files under /memories, where they last beyond this conversation. " +
	"View the directory before a task to see what is known, and record what will be needed later."

const memorySchema = `{"type":"object","properties":{` +
	`"command":{"type":"string","enum":["view","create","str_replace","insert","delete","rename"],"description":"What to do."},` +
	`"path":{"type":"string","description":"All commands but rename: the file or directory, beginning with /memories."},` +
	`"view_range":{"type":"array","items":{"type":"integer"},"description":"view: the first and the last line to show, counted from 1. All lines if absent."},` +
	`"file_text":{"type":"string","description":"create: the content of the file."},` +
	`"old_str":{"type":"string","description":"str_replace: the text to replace, which must occur exactly once."},` +
	`"new_str":{"type":"string","description":"str_replace: the text to put in its place."},` +
	`"insert_line":{"type":"integer","description":"insert: the number of the line after which to insert; 0 is the start of the file."},` +
	`"insert_text":{"type":"string","description":"insert: the text to insert."},` +
	`"old_path":{"type":"string","description":"rename: the path as it is."},` +
	`"new_path":{"type":"string","description":"rename: the path as it shall be."}},` +
	`"required":["command"]}`

const computerDescription = "Use a computer by its screen, mouse and keyboard. Take a screenshot to see what an action did " +
	"before the next one, and click in the middle of what you mean to click. " +
	"Coordinates are [x, y] in pixels from the upper left corner."

const computerFirstSchema = `{"type":"object","properties":{` +
	`"action":{"type":"string","enum":[` + computerFirstActions + `],"description":"What to do."},` +
	computerCoordinate + `,` +
	`"text":{"type":"string","description":"type: the text to type. key: the key or keys, such as Return, alt+Tab or ctrl+s."}` +
	`},"required":["action"]}`

const computerSchema = `{"type":"object","properties":{` +
	`"action":{"type":"string","enum":[` + computerFirstActions + `,` + computerActions + `],"description":"What to do."},` +
	computerCoordinate + `,` + computerProperties + `},"required":["action"]}`

const computerZoomSchema = `{"type":"object","properties":{` +
	`"action":{"type":"string","enum":[` + computerFirstActions + `,` + computerActions + `,"zoom"],"description":"What to do."},` +
	computerCoordinate + `,` + computerProperties + `,` +
	`"region":{"type":"array","items":{"type":"integer"},"description":"zoom: the part of the screen to show in full resolution, as [x0, y0, x1, y1]."}` +
	`},"required":["action"]}`

const computerFirstActions = `"key","type","mouse_move","left_click","left_click_drag","right_click","middle_click","double_click",` +
	`"screenshot","cursor_position"`

const computerActions = `"left_mouse_down","left_mouse_up","triple_click","scroll","hold_key","wait"`

const computerCoordinate = `"coordinate":{"type":"array","items":{"type":"integer"},` +
	`"description":"mouse_move, left_click_drag: where to, as [x, y]. Other actions of the mouse: where; at the cursor if absent."}`

const computerProperties = `"text":{"type":"string","description":"type: the text to type. ` +
	`key, hold_key: the key or keys, such as Return, alt+Tab or ctrl+s. Clicks and scroll: a modifier key to hold meanwhile."},` +
	`"start_coordinate":{"type":"array","items":{"type":"integer"},"description":"left_click_drag: where from, as [x, y]."},` +
	`"scroll_direction":{"type":"string","enum":["up","down","left","right"],"description":"scroll: which way."},` +
	`"scroll_amount":{"type":"integer","description":"scroll: how many clicks of the wheel."},` +
	`"duration":{"type":"number","description":"hold_key, wait: for how many seconds."}`
