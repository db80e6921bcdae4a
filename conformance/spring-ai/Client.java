import com.anthropic.core.ObjectMappers;
import com.anthropic.errors.AnthropicServiceException;
import com.anthropic.models.messages.ToolChoice;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.ai.anthropic.AnthropicChatModel;
import org.springframework.ai.anthropic.AnthropicChatOptions;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.model.MessageAggregator;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.function.FunctionToolCallback;

/** A dialogue through the model of Spring AI for Claude: see program.go. */
public final class Client implements Program.Conversation {
    private final AnthropicChatModel model;
    private final AnthropicChatOptions options;
    private final List<Message> messages = new ArrayList<>();
    private final Map<String, String> names = new HashMap<>(); // of the tools that were called, by the ids of calls

    private Client(JsonNode request) {
        JsonNode setup = request.get("setup");
        var builder = AnthropicChatOptions.builder()
                .baseUrl(request.get("base_url").asText()).apiKey(request.path("key").asText("none")).maxRetries(0)
                .model(setup.get("model").asText()).maxTokens(setup.get("max_tokens").asInt());
        List<String> stops = new ArrayList<>();
        setup.path("stop_sequences").forEach(stop -> stops.add(stop.asText()));
        builder.stopSequences(stops);
        if (setup.has("tool_choice")) {
            builder.toolChoice(ObjectMappers.jsonMapper().convertValue(setup.get("tool_choice"), ToolChoice.class));
        }
        List<ToolCallback> tools = new ArrayList<>();
        setup.path("tools").forEach(tool -> tools.add(FunctionToolCallback
                .builder(tool.get("name").asText(), (Map<String, Object> input) -> "")
                .description(tool.get("description").asText())
                .inputSchema(tool.get("input_schema").toString()).inputType(Map.class).build()));
        model = AnthropicChatModel.builder().options(builder.build()).build();
        options = builder.toolCallbacks(tools).build();
        if (setup.has("system")) messages.add(new SystemMessage(setup.get("system").asText()));
    }

    @Override public JsonNode turn(JsonNode content, boolean stream, boolean leave, ArrayNode events) throws Exception {
        say(content);
        Prompt prompt = new Prompt(messages, options);
        if (leave) {
            String text = model.stream(prompt).mapNotNull(piece -> piece.getResult().getOutput().getText())
                    .filter(piece -> !piece.isEmpty()).blockFirst();
            ObjectNode message = Program.JSON.createObjectNode();
            message.putArray("content").addObject().put("text", text);
            return message;
        }
        AtomicReference<ChatResponse> answer = new AtomicReference<>();
        if (stream) new MessageAggregator().aggregate(model.stream(prompt), answer::set).blockLast();
        else answer.set(model.call(prompt));
        return heard(answer.get().getResult());
    }

    /** Adds a turn to the history: its results are a message, and so is the rest. */
    private void say(JsonNode content) {
        List<ToolResponseMessage.ToolResponse> results = new ArrayList<>();
        StringBuilder rest = new StringBuilder();
        for (JsonNode part : content) {
            if (!part.has("tool_use_id")) {
                rest.append(part.get("text").asText());
                continue;
            }
            String id = part.get("tool_use_id").asText();
            results.add(new ToolResponseMessage.ToolResponse(id, names.get(id), part.get("content").get(0).get("text").asText()));
        }
        if (!results.isEmpty()) messages.add(ToolResponseMessage.builder().responses(results).build());
        if (!rest.isEmpty()) messages.add(new UserMessage(rest.toString()));
    }

    /** Adds an answer to the history and returns it, if the arguments of its calls are JSON. */
    private ObjectNode heard(Generation said) throws Exception {
        AssistantMessage message = said.getOutput();
        messages.add(message);
        ObjectNode answer = Program.JSON.createObjectNode().put("stop_reason", said.getMetadata().getFinishReason());
        ArrayNode content = answer.putArray("content");
        if (message.getText() != null && !message.getText().isEmpty()) {
            content.addObject().put("type", "text").put("text", message.getText());
        }
        for (AssistantMessage.ToolCall call : message.getToolCalls()) {
            names.put(call.id(), call.name());
            content.addObject().put("type", "tool_use").put("id", call.id()).put("name", call.name())
                    .set("input", Program.JSON.readTree(call.arguments()));
        }
        return answer;
    }

    /** What write_note takes: what is not there is null. */
    record Note(String text, Integer number) {}

    @Override public void run(JsonNode content, ArrayNode ran) {
        ToolCallback tool = FunctionToolCallback.builder("write_note", (Note note) -> {
            ObjectNode input = ran.addObject().put("name", "write_note").putObject("input");
            if (note.text() != null) input.put("text", note.text());
            if (note.number() != null) input.put("number", note.number());
            return "stored";
        }).description("Stores a note.").inputType(Note.class).build();
        ChatClient.create(model).prompt().user(content.get(0).get("text").asText()).tools(tool)
                .stream().chatResponse().blockLast();
    }

    @Override public ObjectNode failure(Exception e) {
        for (Throwable told = e; told != null; told = told.getCause()) {
            if (!(told instanceof AnthropicServiceException refused)) continue;
            ObjectNode failure = Program.JSON.createObjectNode().put("status", refused.statusCode());
            failure.set("body", ObjectMappers.jsonMapper().valueToTree(refused.body()));
            return failure.put("request_id", refused.headers().values("request-id").stream().findFirst().orElse(""));
        }
        return null;
    }

    public static void main(String[] args) throws Exception {
        Program.run(Client::new);
    }
}
