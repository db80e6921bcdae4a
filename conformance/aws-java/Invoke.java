import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.bedrockruntime.BedrockRuntimeAsyncClient;
import software.amazon.awssdk.services.bedrockruntime.model.InvokeModelWithResponseStreamResponseHandler;
import software.amazon.awssdk.services.bedrockruntime.model.PayloadPart;

/** InvokeModel with the body of the Messages API. */
final class Invoke extends Client {
    private final String model;
    private final ObjectNode body;
    private final ArrayNode messages;

    Invoke(BedrockRuntimeAsyncClient client, JsonNode setup) {
        super(client);
        body = setup.deepCopy();
        model = body.remove("model").asText();
        messages = body.put("anthropic_version", "bedrock-2023-05-31").putArray("messages");
    }

    @Override public JsonNode turn(JsonNode content, boolean stream, boolean leave, ArrayNode events) throws Exception {
        messages.addObject().put("role", "user").set("content", content);
        SdkBytes said = SdkBytes.fromUtf8String(body.toString());
        JsonNode message = stream ? stream(said, leave, events)
                : Program.JSON.readTree(await(client.invokeModel(r -> r.modelId(model).body(said))).body().asInputStream());
        messages.addObject().put("role", "assistant").set("content", message.get("content"));
        return message;
    }

    private JsonNode stream(SdkBytes said, boolean leave, ArrayNode events) throws Exception {
        Frames frames = new Frames(events);
        CompletableFuture<Void> asked = client.invokeModelWithResponseStream(r -> r.modelId(model).body(said),
                InvokeModelWithResponseStreamResponseHandler.builder()
                        .onResponse(response -> began(response.responseMetadata().requestId()))
                        .subscriber(frames).build());
        JsonNode left = left(asked, frames.text, leave);
        return left != null ? left : frames.message();
    }

    /** The frames of a stream, which are events of the Messages API. */
    private static final class Frames implements InvokeModelWithResponseStreamResponseHandler.Visitor {
        private final CompletableFuture<String> text = new CompletableFuture<>(); // the first piece of one
        private final ArrayNode events;
        private final List<StringBuilder> pieces = new ArrayList<>(); // of each block
        private ObjectNode message;

        Frames(ArrayNode events) {
            this.events = events;
        }

        @Override public void visitChunk(PayloadPart frame) {
            JsonNode event;
            try {
                event = Program.JSON.readTree(frame.bytes().asInputStream());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            String type = event.get("type").asText();
            events.add(type);
            switch (type) {
                case "message_start" -> message = (ObjectNode) event.get("message");
                case "content_block_start" -> {
                    message.withArray("content").add(event.get("content_block"));
                    pieces.add(new StringBuilder());
                }
                case "content_block_delta" -> add(event.get("index").asInt(), event.get("delta"));
                case "message_delta" -> message.setAll((ObjectNode) event.get("delta"));
                default -> {}
            }
        }

        private void add(int index, JsonNode delta) {
            boolean said = delta.has("text");
            String piece = delta.get(said ? "text" : "partial_json").asText();
            pieces.get(index).append(piece);
            if (said) text.complete(piece);
        }

        /** Returns the message, if the inputs of its calls are JSON. */
        ObjectNode message() throws IOException {
            for (int i = 0; i < pieces.size(); i++) {
                ObjectNode block = (ObjectNode) message.get("content").get(i);
                if (block.has("input")) block.set("input", Program.JSON.readTree(pieces.get(i).toString()));
                else block.put("text", pieces.get(i).toString());
            }
            return message;
        }
    }
}
