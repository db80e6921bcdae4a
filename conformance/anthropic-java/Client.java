import com.anthropic.backends.Backend;
import com.anthropic.bedrock.backends.BedrockBackend;
import com.anthropic.client.AnthropicClient;
import com.anthropic.client.okhttp.AnthropicOkHttpClient;
import com.anthropic.core.ObjectMappers;
import com.anthropic.core.http.HttpRequest;
import com.anthropic.core.http.HttpResponse;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.helpers.MessageAccumulator;
import com.anthropic.models.messages.ContentBlockParam;
import com.anthropic.models.messages.Message;
import com.anthropic.models.messages.MessageCreateParams;
import com.anthropic.models.messages.ToolChoice;
import com.anthropic.models.messages.ToolUnion;
import com.anthropic.vertex.backends.VertexBackend;
import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.auth.oauth2.AccessToken;
import com.google.auth.oauth2.GoogleCredentials;
import java.util.Date;
import java.util.List;
import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.regions.Region;

/** Holds conversations through one of the backends of anthropic-java, which the argument names: see program.go. */
public final class Client implements Program.Conversation {
    private static final JsonMapper JSON = ObjectMappers.jsonMapper();

    private final AnthropicClient client;
    private final MessageCreateParams.Builder params;

    private Client(String api, JsonNode request) {
        client = open(api, request.get("base_url").asText(), request.path("key").asText("none"));
        JsonNode setup = request.get("setup");
        params = MessageCreateParams.builder()
                .model(setup.get("model").asText())
                .maxTokens(setup.get("max_tokens").asLong())
                .messages(List.of());
        if (setup.has("system")) params.system(setup.get("system").asText());
        if (setup.has("tools")) params.tools(convert(setup.get("tools"), new TypeReference<List<ToolUnion>>() {}));
        if (setup.has("tool_choice")) params.toolChoice(convert(setup.get("tool_choice"), new TypeReference<ToolChoice>() {}));
        if (setup.has("stop_sequences")) params.stopSequences(convert(setup.get("stop_sequences"), new TypeReference<List<String>>() {}));
    }

    private static AnthropicClient open(String api, String url, String key) {
        var builder = AnthropicOkHttpClient.builder().maxRetries(0);
        switch (api) {
            case "bedrock":
                return builder.backend(new At(url, BedrockBackend.builder()
                        .awsCredentials(AwsBasicCredentials.create(key, "secret"))
                        .region(Region.US_EAST_1)
                        .build())).build();
            case "vertex":
                Date never = new Date(Long.MAX_VALUE);
                return builder.backend(VertexBackend.builder()
                        .baseUrl(url)
                        .googleCredentials(GoogleCredentials.create(new AccessToken(key, never)))
                        .project("my-project")
                        .region("us-east5")
                        .build()).build();
            default:
                return builder.baseUrl(url).apiKey(key).build();
        }
    }

    /** A backend at another address: that of Bedrock has no setting for it. */
    private static final class At implements Backend {
        private final String url;
        private final Backend backend;

        At(String url, Backend backend) {
            this.url = url;
            this.backend = backend;
        }

        @Override public String baseUrl() { return url; }
        @Override public HttpRequest prepareRequest(HttpRequest request) { return backend.prepareRequest(request); }
        @Override public HttpRequest authorizeRequest(HttpRequest request) { return backend.authorizeRequest(request); }
        @Override public HttpResponse prepareResponse(HttpResponse response) { return backend.prepareResponse(response); }
        @Override public void close() { backend.close(); }
    }

    private static <T> T convert(JsonNode node, TypeReference<T> type) {
        return JSON.convertValue(node, type);
    }

    @Override public JsonNode turn(JsonNode content, boolean stream, boolean leave, ArrayNode events) {
        params.addUserMessageOfBlockParams(convert(content, new TypeReference<List<ContentBlockParam>>() {}));
        if (leave) return leave();
        Message message = stream ? stream(events) : client.messages().create(params.build());
        params.addMessage(message);
        return JSON.valueToTree(message);
    }

    @Override public ObjectNode failure(Exception e) {
        if (!(e instanceof AnthropicServiceException told)) return null;
        ObjectNode failure = JSON.createObjectNode().put("status", told.statusCode());
        failure.set("body", JSON.valueToTree(told.body()));
        return failure.put("request_id", told.headers().values("request-id").stream().findFirst().orElse(""));
    }

    @Override public void close() {
        client.close();
    }

    private Message stream(ArrayNode events) {
        MessageAccumulator accumulator = MessageAccumulator.create();
        try (var response = client.messages().createStreaming(params.build())) {
            response.stream().forEach(event -> {
                accumulator.accumulate(event);
                events.add(JSON.valueToTree(event).get("type").asText());
            });
        }
        return accumulator.message();
    }

    /** Streams to the first piece of text, which is all of the message that there is then. */
    private JsonNode leave() {
        ObjectNode message = JSON.createObjectNode();
        try (var response = client.messages().createStreaming(params.build())) {
            String text = response.stream()
                    .flatMap(event -> event.contentBlockDelta().stream())
                    .flatMap(event -> event.delta().text().stream())
                    .findFirst().orElseThrow().text();
            message.putArray("content").addObject().put("text", text);
        }
        return message;
    }

    /** The tools are one. */
    @Override public void run(JsonNode said, ArrayNode ran) {
        WriteNote.ran = ran;
        MessageCreateParams setup = params.build();
        var runner = client.beta().messages().toolRunner(com.anthropic.models.beta.messages.MessageCreateParams.builder()
                .model(setup.model().asString())
                .maxTokens(setup.maxTokens())
                .addUserMessage(said.get(0).get("text").asText())
                .addTool(WriteNote.class)
                .build());
        for (var answer : runner.streaming()) answer.stream().forEach(event -> {});
    }

    /** A tool that tells what it is run with: what is not there is null. */
    @JsonTypeName("write_note")
    @JsonClassDescription("Stores a note.")
    static final class WriteNote implements Supplier<String> {
        private static ArrayNode ran;

        public String text;
        public Integer number;

        @Override public String get() {
            ObjectNode input = ran.addObject().put("name", "write_note").putObject("input");
            if (text != null) input.put("text", text);
            if (number != null) input.put("number", number);
            return "stored";
        }
    }

    public static void main(String[] args) throws Exception {
        Program.run(request -> new Client(args[0], request));
    }
}
