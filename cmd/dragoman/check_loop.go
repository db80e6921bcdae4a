package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"time"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/eval"
	"dragoman/cmd/dragoman/internal/terminal"
	"dragoman/translate"
)

// loopTimeout limits the loop of `check --online`: three answers, perhaps of a model that is still to be loaded.
const loopTimeout = 5 * time.Minute

// check plays one whole loop with a model of the server, and prints what came, and the commands for a client. If no
// model is named and the server has several, it only lists them: asking one may load it.
func (n namedServer) check(ctx context.Context, w io.Writer, s *settings) error {
	name := s.model
	if listed, _ := n.list(ctx); name == "" && len(listed) > 1 { // choose returns the error
		_, err := fmt.Fprintf(w, "online    %s: lists %d models; none was called: %s\nnext      %s\n",
			config.OpenAI, len(listed), strings.Join(listed, ", "), s.retry(listed[0]))
		return err
	}
	name, err := n.choose(ctx, name)
	if err != nil {
		return err
	}
	question, r := n.play(ctx, name)
	var text strings.Builder
	fmt.Fprintf(&text, "online    %s: %s, answers: %d in %.1f s\n", config.OpenAI, name, r.Answers, float64(r.Milliseconds)/1000)
	fmt.Fprintf(&text, "loop      question: %s\n%s", question, callLines(r.Calls))
	if r.Error == "" {
		fmt.Fprintf(&text, "          answer:   %s\n", cmp.Or(printable(r.Text), "(nothing)"))
	}
	next := s.again("eval") + " --model " + shellWord(name)
	switch {
	case r.Error != "":
		err = fmt.Errorf("%s failed within a loop: %s; look at the log of the server, then run `%s`", n.url, r.Error, s.retry(name))
	case r.Wrong != "":
		err = fmt.Errorf("%s played no whole loop: %s; find a better format with `%s`, or choose a larger model", name, r.Wrong, next)
	default:
		text.WriteString(clientCommands(n.cfg.Listen, s))
	}
	if _, wrong := io.WriteString(w, text.String()); wrong != nil {
		return wrong
	}
	return err
}

// play plays a loop as serve would ask the model.
func (n namedServer) play(ctx context.Context, name string) (question string, r eval.Record) {
	ctx, cancel := context.WithTimeout(ctx, loopTimeout)
	defer cancel()
	route, _ := n.cfg.Model(name)
	m := eval.Model{Name: name, UpstreamModel: route.UpstreamModel.Resolved(ctx, n.upstream), Upstream: n.upstream}
	question, r = m.PlayOne(ctx, translate.FormatAuto)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		r.Error = fmt.Sprintf("no end in %s", loopTimeout)
	}
	return question, r
}

// callLines returns lines about the calls and their results. A call that came several times in a row has one line.
func callLines(calls []eval.MadeCall) string {
	var text strings.Builder
	for i := 0; i < len(calls); {
		c, n := calls[i], 1
		for i+n < len(calls) && reflect.DeepEqual(calls[i+n], c) {
			n++
		}
		i += n
		times, kind := "", "result:"
		if n > 1 {
			times = fmt.Sprintf(" (%d times)", n)
		}
		if c.IsError {
			kind = "error:"
		}
		input, _ := json.Marshal(c.Input) // cannot fail: it was read from JSON
		fmt.Fprintf(&text, "          call:     %s %s%s\n          %-9s %s\n", printable(c.Name), printable(string(input)), times, kind, c.Result)
	}
	return text.String()
}

// clientCommands returns the commands that serve the server, and send a client there.
func clientCommands(listen string, s *settings) string {
	text := fmt.Sprintf("next      %s\n", s.again("serve"))
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	if err == nil && port != "0" {
		text += fmt.Sprintf("          export ANTHROPIC_BASE_URL=http://%s # for the client, in another terminal\n", net.JoinHostPort(host, port))
	}
	return text
}

// again returns another command for the same server, to paste into a shell.
func (s *settings) again(command string) string {
	text := "dragoman " + command + " --base-url " + shellWord(s.baseURL)
	if s.keyFile != "" {
		text += " --api-key-file " + shellWord(s.keyFile)
	}
	if command == "serve" && s.model != "" {
		text += " --model " + shellWord(s.model)
	}
	if command == "serve" && onCommandLine(from(s.flags, "listen")) {
		text += " --listen " + shellWord(s.listen)
	}
	return text
}

// retry returns this command for the same server and a model, to paste into a shell; "" leaves the model open.
func (s *settings) retry(model string) string {
	text := s.again(s.command.Name())
	if s.command.Name() == "check" {
		text += " --online"
	}
	if model != "" {
		text += " --model " + shellWord(model)
	}
	return text
}

// shellWord returns a text as one word of a shell.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:@%+=,-", r)
	}
	if s != "" && strings.TrimLeftFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// longestShown is the length of a text of the model that check prints, in characters.
const longestShown = 200

// printable returns a text of the model on one line, safe on a terminal, and cut if it is long.
func printable(s string) string {
	runes := []rune(s)
	if len(runes) > longestShown {
		runes = append(runes[:longestShown], '…')
	}
	return terminal.Printable(string(runes))
}
