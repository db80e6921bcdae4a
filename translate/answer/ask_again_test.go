package answer

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dragoman/translate/language"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// TestBudget checks the limit for each reason, and the limit for all reasons together.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		asked   []prompt.Reason
		allowed int
	}{
		{[]prompt.Reason{prompt.ReasonStopped, prompt.ReasonStopped, prompt.ReasonStopped}, 2},
		{[]prompt.Reason{prompt.ReasonInvalid, prompt.ReasonUnread}, 1},
		{[]prompt.Reason{prompt.ReasonStopped, prompt.ReasonInvalid, prompt.ReasonStopped, prompt.ReasonStopped, prompt.ReasonUnread}, 3},
	} {
		var b budget
		allowed := 0
		for _, why := range tt.asked {
			if b.spend(why) {
				allowed++
			}
		}
		if allowed != tt.allowed {
			t.Errorf("%q: %d, want %d", tt.asked, allowed, tt.allowed)
		}
	}
}

// TestRefusals checks that each reason to give a call back, or to break it off, has its own sentence. The
// reason "incomplete" is exempt.
func TestRefusals(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "tagged/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	said := map[string]messages.Reason{} // sentences, with their reasons
	see := func(e ast.Expr) {
		named, ok := e.(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(named.Sel.Name, "Reason") {
			return
		}
		reason := reasonOf(named.Sel.Name)
		if slices.Contains([]messages.Reason{messages.ReasonNone, messages.ReasonIncomplete, messages.ReasonNoArgumentsRead}, reason) { // not a refusal, or said of the outcome
			return
		}
		why, ok := refusal(&language.English, reason)
		switch other := said[why]; {
		case !ok || why == "":
			t.Errorf("nothing is said of the reason %s", reason)
		case other != messages.ReasonNone && other != reason:
			t.Errorf("the same is said of %s as of %s", reason, other)
		}
		said[why] = reason
	}
	for _, name := range files {
		file, err := goparser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (slices.Contains([]string{"giveBackCall", "giveBackLiteral", "giveBack"}, f.Sel.Name)) && len(n.Args) > 0 {
					see(n.Args[0])
				}
			case *ast.AssignStmt:
				if f, ok := n.Lhs[0].(*ast.SelectorExpr); ok && f.Sel.Name == "Reason" && isOpenCall(f.X) {
					see(n.Rhs[0])
				}
			}
			return true
		})
	}
	for _, reason := range []messages.Reason{messages.ReasonAmbiguous, messages.ReasonNoToolFits} {
		if why, ok := refusal(&language.English, reason); !ok || why == "" {
			t.Errorf("nothing is said of the reason %s", reason)
		}
	}
	if len(said) < 7 {
		t.Errorf("only the reasons %v were found", slices.Collect(maps.Values(said)))
	}
}

// reasonOf returns the reason of a constant: ReasonToolName is tool_name.
func reasonOf(constant string) messages.Reason {
	for _, reason := range messages.Reasons() {
		if strings.EqualFold("Reason"+strings.ReplaceAll(reason.String(), "_", ""), constant) {
			return reason
		}
	}
	return messages.ReasonNone
}

// isOpenCall reports whether e is the current call.
func isOpenCall(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name == "call"
	case *ast.SelectorExpr:
		return e.Sel.Name == "call"
	}
	return false
}
