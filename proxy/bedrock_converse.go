package proxy

import (
	"net/http"
	"time"

	"dragoman/proxy/bedrock"
	"dragoman/translate/messages"
	"dragoman/upstream/converse"
	"dragoman/upstream/eventstream"
)

// bedrockConverse is Converse of Bedrock, with and without a stream
// (docs/reference/bedrock.md §5). The API has no pings. Its clients ignore events that
// they do not know, since the API grows; so a ping is an event of a name of our own. An
// empty delta instead would need an open block.
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
		"Content-Type":      {eventstream.MediaType},
		"Cache-Control":     {"no-cache"},
		"X-Accel-Buffering": {"no"},
	},
	pingFrame: eventstream.Append(nil, eventstream.EventHeaders("ping"), []byte("{}")),
	newFrames: func(http.Header) frameWriter { return &converseFrames{} },
}

// converseMessageJSON appends a whole answer.
func converseMessageJSON(_ http.Header, dst []byte, m *messages.Message, took time.Duration) []byte {
	answer := converse.Answer{Ending: newEnding(m), Metering: newMetering(m.Usage, took)}
	answer.Output.Message = converse.Message{Role: messages.RoleAssistant, Content: []converse.Block{}}
	for i := range m.Content {
		if c, ok := newContent(&m.Content[i]); ok {
			answer.Output.Message.Content = append(answer.Output.Message.Content, c)
		}
	}
	return appendMarshaled(dst, answer)
}
