package proxy

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"dragoman/proxy/convert"
	"dragoman/translate/messages"
)

// chatCompletions is OpenAI's Chat Completions, with and without a stream (docs/reference/clients.md §8). Its streams
// are server-sent events without names. A comment keeps a silent stream alive: clients ignore it at every point.
var chatCompletions = dialect{
	name:          "chat",
	setID:         setChatID,
	credentials:   messagesCredentials,
	convert:       convert.FromChat,
	read:          readChat,
	nativeRequest: nativeMessages,
	appendMessage: appendChatMessage,
	failureBody: func(_ http.Header, f *failure, _ string) (int, []byte) {
		return f.chatStatus(), appendChatError(nil, f)
	},
	streamHeader: messagesAPI.streamHeader,
	pingFrame:    []byte(": ping\n\n"),
	waitFrame:    messagesAPI.waitFrame,
	newFrames: func(_ http.Header, c *convert.Conversion) frameWriter {
		return &chatFrames{includeUsage: c.IncludeUsage, text: chatText{json: c.JSONAnswer}}
	},
}

// sharedAPI answers at paths that the Messages API and OpenAI's API both have, and at unknown paths. Its errors have the
// fields of both.
var sharedAPI = func() dialect {
	d := messagesAPI
	d.setID = setChatID
	d.failureBody = func(_ http.Header, f *failure, requestID string) (int, []byte) {
		e := newChatError(f)
		e.Type = f.typ
		return f.status, appendMarshaled(nil, struct {
			Type      string    `json:"type"`
			Error     chatError `json:"error"`
			RequestID string    `json:"request_id"`
		}{"error", e, requestID})
	}
	return d
}()

// setChatID sets the header in which OpenAI's SDKs look for the request id, unless the client chose the id itself.
func setChatID(h http.Header, requestID string) {
	if h.Get("X-Request-Id") == "" {
		h.Set("X-Request-Id", requestID)
	}
}

// readChat reads a converted body. OpenAI's API accepts more values than the Messages API.
func readChat(r *http.Request, body []byte, opt messages.DecodeOptions) (*messages.Body, error) {
	opt.WideValues = true
	return messages.ReadBody(r.Context(), body, opt)
}

// chatHead is the beginning of every object of an answer.
type chatHead struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
}

// newChatHead returns the head of a message's answer.
func newChatHead(m *messages.Message, object string) chatHead {
	return chatHead{"chatcmpl-" + strings.TrimPrefix(m.ID, "msg_"), object, time.Now().Unix(), m.Model}
}

// chatAnswer is a whole answer. Clients require the fields that are null.
type chatAnswer struct {
	chatHead
	Choices []chatChoice `json:"choices"`
	Usage   chatUsage    `json:"usage"`
}

type chatChoice struct {
	Index        int         `json:"index"`
	Message      chatMessage `json:"message"`
	Logprobs     *int        `json:"logprobs"`
	FinishReason string      `json:"finish_reason"`
}

type chatMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	Reasoning string     `json:"reasoning_content,omitzero"`
	ToolCalls []chatCall `json:"tool_calls,omitzero"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// appendChatMessage appends a whole answer. All its texts become one, in their order. Blocks that Chat Completions does
// not have are omitted: tools that the model's own API has run, and redacted thinking.
func appendChatMessage(_ http.Header, dst []byte, c *convert.Conversion, m *messages.Message, _ time.Duration) []byte {
	message := chatMessage{Role: messages.RoleAssistant}
	var text, reasoning strings.Builder
	sorted := chatText{json: c.JSONAnswer}
	for i := range m.Content {
		switch b := &m.Content[i]; b.Type {
		case messages.BlockText:
			text.Write(sorted.content([]byte(b.Text)))
		case messages.BlockThinking:
			reasoning.WriteString(b.Thinking)
		case messages.BlockToolUse:
			reasoning.Write(sorted.take())
			message.ToolCalls = append(message.ToolCalls, chatCall{b.ID, "function", chatFunction{b.Name, chatArguments(b)}})
		}
	}
	text.Write(sorted.take())
	if text.Len() > 0 || len(message.ToolCalls) == 0 {
		content := text.String()
		message.Content = &content
	}
	message.Reasoning = reasoning.String()
	return appendMarshaled(dst, chatAnswer{
		newChatHead(m, "chat.completion"), []chatChoice{{Message: message, FinishReason: chatFinish(m.StopReason)}}, newChatUsage(m.Usage),
	})
}

// chatArguments returns the input of a call. If the call was cut, its JSON stays open, as in a stream, so that no
// client takes it for a whole one.
func chatArguments(b *messages.ContentBlock) string {
	switch {
	case b.Cut != nil:
		return string(b.Cut)
	case len(b.Input) == 0 || b.Input.Kind() == 'n':
		return "{}"
	}
	return string(b.Input)
}

// chatFinishes maps stop reasons to the values of finish_reason.
var chatFinishes = map[messages.Stop]string{
	messages.StopMaxTokens:     "length",
	messages.StopContextWindow: "length",
	messages.StopToolUse:       "tool_calls",
	messages.StopRefusal:       "content_filter",
	messages.StopGuardrail:     "content_filter",
}

// chatFinish returns the finish_reason for a stop reason.
func chatFinish(s messages.Stop) string { return cmp.Or(chatFinishes[s], "stop") }

// chatUsage counts tokens. Unlike the counts of the Messages API, prompt_tokens includes cached tokens.
type chatUsage struct {
	Prompt     int             `json:"prompt_tokens"`
	Completion int             `json:"completion_tokens"`
	Total      int             `json:"total_tokens"`
	Details    chatTokenSource `json:"prompt_tokens_details"`
}

type chatTokenSource struct {
	Cached  int `json:"cached_tokens"`
	Written int `json:"cache_write_tokens,omitzero"`
}

func newChatUsage(u messages.Usage) chatUsage {
	return chatUsage{u.PromptTokens(), u.OutputTokens, u.PromptTokens() + u.OutputTokens, chatTokenSource{u.CacheReadInputTokens, u.CacheCreationInputTokens}}
}

// chatError is the form of a failure in Chat Completions.
type chatError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// chatErrors maps the error types of the Messages API to types and codes of OpenAI's API; a code may be "".
var chatErrors = map[string]struct{ typ, code string }{
	messages.ErrorInvalidRequest: {"invalid_request_error", ""},
	messages.ErrorTooLarge:       {"invalid_request_error", "request_too_large"},
	messages.ErrorConflict:       {"invalid_request_error", ""},
	messages.ErrorNotFound:       {"invalid_request_error", ""},
	messages.ErrorAuthentication: {"invalid_request_error", "invalid_api_key"},
	messages.ErrorPermission:     {"permission_error", ""},
	messages.ErrorBilling:        {"insufficient_quota", "insufficient_quota"},
	messages.ErrorRateLimit:      {"rate_limit_error", "rate_limit_exceeded"},
	messages.ErrorAPI:            {"server_error", ""},
	messages.ErrorTimeout:        {"server_error", "timeout"},
	messages.ErrorOverloaded:     {"server_error", "overloaded"},
}

// chatStatus returns the status of the failure. OpenAI's API has 503 where the Messages API has 529.
func (f *failure) chatStatus() int {
	if f.status == 529 {
		return http.StatusServiceUnavailable
	}
	return f.status
}

// newChatError returns the error for a failure. The type may be an upstream's own: then the status decides whether it is
// the client's fault.
func newChatError(f *failure) chatError {
	e, known := chatErrors[f.typ]
	if !known && f.status < http.StatusInternalServerError {
		e = chatErrors[messages.ErrorInvalidRequest]
	} else if !known {
		e = chatErrors[messages.ErrorAPI]
	}
	return chatError{f.message, e.typ, textOrNull(f.param), textOrNull(cmp.Or(f.code, e.code))}
}

// appendChatError appends a failure in JSON.
func appendChatError(dst []byte, f *failure) []byte {
	return appendMarshaled(dst, struct {
		Error chatError `json:"error"`
	}{newChatError(f)})
}

// textOrNull returns nil for an empty text, which is null in JSON.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
