package proxy

import (
	"net/http"
	"time"

	"dragoman/proxy/bedrock"
	"dragoman/translate"
)

// bedrockConverse is Converse of Bedrock, with and without a stream
// (reference/bedrock.md §5). The API has no pings, but its clients pass over an event
// that they do not know, wherever it comes: those of AWS have to, for the API grows. An
// empty delta would need an open block, and would be part of it.
var bedrockConverse = dialect{
	name:          "bedrock_converse",
	setID:         setBedrockID,
	credentials:   bedrockCredentials,
	convert:       bedrock.FromConverse,
	read:          readBedrock,
	nativeRequest: nativeBedrock,
	appendMessage: converseMessageJSON,
	failureBody:   bedrockFailure,
	streamHeader: http.Header{
		"Content-Type":      {eventStream},
		"Cache-Control":     {"no-cache"},
		"X-Accel-Buffering": {"no"},
	},
	pingFrame: appendFrame(nil, eventHeaders("ping"), []byte("{}")),
	newFrames: func(http.Header) frameWriter { return &converseFrames{} },
}

func converseMessageJSON(_ http.Header, dst []byte, m *translate.Message, took time.Duration) []byte {
	type message struct {
		Role    string            `json:"role"`
		Content []converseContent `json:"content"`
	}
	answer := struct {
		Output struct {
			Message message `json:"message"`
		} `json:"output"`
		converseEnding
		converseMetering
	}{converseEnding: newEnding(m), converseMetering: newMetering(m.Usage, took)}
	answer.Output.Message = message{translate.RoleAssistant, []converseContent{}}
	for i := range m.Content {
		if c, ok := newContent(&m.Content[i]); ok {
			answer.Output.Message.Content = append(answer.Output.Message.Content, c)
		}
	}
	return appendMarshaled(dst, answer)
}
