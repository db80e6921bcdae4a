import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.ObjectMappers;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionTool;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Holds conversations through openai-java: see program.go. */
public final class Client implements Program.Conversation {
    private static final JsonMapper JSON = ObjectMappers.jsonMapper();
    private static final Map<String, String> REASONS =
            Map.of("stop", "end_turn", "length", "max_tokens", "tool_calls", "tool_use");

    private final OpenAIClient client;
    private final ChatCompletionCreateParams.Builder params;

    private Client(JsonNode request) {
        client = OpenAIOkHttpClient.builder()
                .baseUrl(request.get("base_url").asText() + "/v1")
                .apiKey(request.path("key").asText("none"))
                .maxRetries(0)
                .build();
        JsonNode setup = request.get("setup");
        params = ChatCompletionCreateParams.builder()
                .model(setup.get("model").asText())
                .maxTokens(setup.get("max_tokens").asLong())
                .messages(List.of());
        if (setup.has("system")) params.addSystemMessage(setup.get("system").asText());
        for (JsonNode tool : setup.path("tools")) params.addTool(tool(tool));
        if (setup.has("tool_choice")) params.toolChoice(choice(setup.get("tool_choice")));
        if (setup.has("stop_sequences")) params.stopOfStrings(JSON.convertValue(setup.get("stop_sequences"), new TypeReference<List<String>>() {}));
    }

    private static ChatCompletionTool tool(JsonNode tool) {
        ObjectNode given = JSON.createObjectNode().put("type", "function");
        given.putObject("function")
                .put("name", tool.get("name").asText())
                .put("description", tool.get("description").asText())
                .set("parameters", tool.get("input_schema"));
        return JSON.convertValue(given, ChatCompletionTool.class);
    }

    private static ChatCompletionToolChoiceOption choice(JsonNode choice) {
        String type = choice.get("type").asText();
        if (!type.equals("tool")) {
            return JSON.convertValue(type.equals("any") ? "required" : type, ChatCompletionToolChoiceOption.class);
        }
        ObjectNode named = JSON.createObjectNode().put("type", "function");
        named.putObject("function").put("name", choice.get("name").asText());
        return JSON.convertValue(named, ChatCompletionToolChoiceOption.class);
    }

    @Override public JsonNode turn(JsonNode content, boolean stream, boolean leave, ArrayNode events) throws Exception {
        say(content);
        if (leave) return leave();
        ChatCompletion completion = stream ? stream() : client.chat().completions().create(params.build());
        ChatCompletion.Choice choice = completion.choices().get(0);
        params.addMessage(choice.message());
        return answer(completion.model(), choice);
    }

    /** Adds the messages of a turn. None tells whether a result is an error. */
    private void say(JsonNode content) {
        List<ChatCompletionContentPart> rest = new ArrayList<>();
        for (JsonNode part : content) {
            if (part.has("tool_use_id")) {
                params.addMessage(ChatCompletionToolMessageParam.builder()
                        .toolCallId(part.get("tool_use_id").asText())
                        .content(part.get("content").get(0).get("text").asText())
                        .build());
            } else {
                rest.add(JSON.convertValue(part, ChatCompletionContentPart.class));
            }
        }
        if (!rest.isEmpty()) params.addUserMessageOfArrayOfContentParts(rest);
    }

    private ChatCompletion stream() {
        ChatCompletionAccumulator accumulator = ChatCompletionAccumulator.create();
        try (var response = client.chat().completions().createStreaming(params.build())) {
            response.stream().forEach(accumulator::accumulate);
        }
        return accumulator.chatCompletion();
    }

    /** Streams to the first piece of text, which is all of the message that there is then. */
    private JsonNode leave() {
        ObjectNode message = JSON.createObjectNode();
        try (var response = client.chat().completions().createStreaming(params.build())) {
            String text = response.stream()
                    .flatMap(chunk -> chunk.choices().stream())
                    .flatMap(choice -> choice.delta().content().stream())
                    .filter(piece -> !piece.isEmpty())
                    .findFirst().orElseThrow();
            message.putArray("content").addObject().put("text", text);
        }
        return message;
    }

    private static JsonNode answer(String model, ChatCompletion.Choice choice) throws JsonProcessingException {
        ObjectNode answer = Program.JSON.createObjectNode()
                .put("model", model)
                .put("stop_reason", REASONS.get(choice.finishReason().asString()));
        ArrayNode content = answer.putArray("content");
        choice.message().content().filter(text -> !text.isEmpty()).ifPresent(text -> content.addObject().put("text", text));
        for (var call : choice.message().toolCalls().orElse(List.of())) {
            var function = call.asFunction();
            content.addObject()
                    .put("id", function.id())
                    .put("name", function.function().name())
                    .set("input", Program.JSON.readTree(function.function().arguments()));
        }
        return answer;
    }

    /** An error within a stream has the status 200. */
    @Override public ObjectNode failure(Exception e) {
        if (!(e instanceof OpenAIServiceException told)) return null;
        ObjectNode failure = JSON.createObjectNode().put("status", told.statusCode());
        failure.set("body", JSON.valueToTree(told.body()));
        return failure.put("request_id", told.headers().values("x-request-id").stream().findFirst().orElse(""));
    }

    @Override public void close() {
        client.close();
    }

    public static void main(String[] args) throws Exception {
        Program.run(Client::new);
    }
}
