import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.document.Document;
import software.amazon.awssdk.services.bedrockruntime.BedrockRuntimeAsyncClient;
import software.amazon.awssdk.services.bedrockruntime.model.ContentBlock;
import software.amazon.awssdk.services.bedrockruntime.model.ConversationRole;
import software.amazon.awssdk.services.bedrockruntime.model.ConverseRequest;
import software.amazon.awssdk.services.bedrockruntime.model.ConverseResponse;
import software.amazon.awssdk.services.bedrockruntime.model.ConverseStreamRequest;
import software.amazon.awssdk.services.bedrockruntime.model.ConverseStreamResponseHandler;
import software.amazon.awssdk.services.bedrockruntime.model.ImageBlock;
import software.amazon.awssdk.services.bedrockruntime.model.InferenceConfiguration;
import software.amazon.awssdk.services.bedrockruntime.model.Message;
import software.amazon.awssdk.services.bedrockruntime.model.SystemContentBlock;
import software.amazon.awssdk.services.bedrockruntime.model.Tool;
import software.amazon.awssdk.services.bedrockruntime.model.ToolChoice;
import software.amazon.awssdk.services.bedrockruntime.model.ToolConfiguration;
import software.amazon.awssdk.services.bedrockruntime.model.ToolResultBlock;
import software.amazon.awssdk.services.bedrockruntime.model.ToolResultContentBlock;
import software.amazon.awssdk.services.bedrockruntime.model.ToolResultStatus;
import software.amazon.awssdk.services.bedrockruntime.model.ToolUseBlock;

/** Converse, from and to the terms of the Messages API. */
final class Converse extends Client {
    private final String model;
    private final InferenceConfiguration limits;
    private final List<SystemContentBlock> system = new ArrayList<>();
    private final ToolConfiguration tools; // or null
    private final List<Message> messages = new ArrayList<>();

    Converse(BedrockRuntimeAsyncClient client, JsonNode setup) {
        super(client);
        model = setup.get("model").asText();
        List<String> stops = new ArrayList<>();
        setup.path("stop_sequences").forEach(stop -> stops.add(stop.asText()));
        limits = InferenceConfiguration.builder().maxTokens(setup.get("max_tokens").asInt()).stopSequences(stops).build();
        if (setup.has("system")) system.add(SystemContentBlock.fromText(setup.get("system").asText()));
        List<Tool> offered = new ArrayList<>();
        setup.path("tools").forEach(tool -> offered.add(Tool.fromToolSpec(t -> t
                .name(tool.get("name").asText())
                .description(tool.get("description").asText())
                .inputSchema(s -> s.json(Documents.of(tool.get("input_schema")))))));
        tools = offered.isEmpty() ? null
                : ToolConfiguration.builder().tools(offered).toolChoice(choice(setup.path("tool_choice"))).build();
    }

    private static ToolChoice choice(JsonNode choice) {
        return switch (choice.path("type").asText()) {
            case "auto" -> ToolChoice.fromAuto(c -> {});
            case "any" -> ToolChoice.fromAny(c -> {});
            case "tool" -> ToolChoice.fromTool(c -> c.name(choice.get("name").asText()));
            default -> null;
        };
    }

    @Override public JsonNode turn(JsonNode content, boolean stream, boolean leave, ArrayNode events) throws Exception {
        List<ContentBlock> said = new ArrayList<>();
        content.forEach(part -> said.add(part.has("tool_use_id")
                ? ContentBlock.fromToolResult(result(part))
                : ContentBlock.fromText(part.get("text").asText())));
        messages.add(Message.builder().role(ConversationRole.USER).content(said).build());
        return stream ? stream(leave, events) : whole();
    }

    private static ToolResultBlock result(JsonNode part) {
        List<ToolResultContentBlock> content = new ArrayList<>();
        part.get("content").forEach(inner -> content.add(inner.has("source")
                ? ToolResultContentBlock.fromImage(image(inner.get("source")))
                : ToolResultContentBlock.fromText(inner.get("text").asText())));
        return ToolResultBlock.builder().toolUseId(part.get("tool_use_id").asText()).content(content)
                .status(part.path("is_error").asBoolean() ? ToolResultStatus.ERROR : ToolResultStatus.SUCCESS).build();
    }

    private static ImageBlock image(JsonNode source) {
        byte[] data = Base64.getDecoder().decode(source.get("data").asText());
        return ImageBlock.builder().format("png").source(s -> s.bytes(SdkBytes.fromByteArray(data))).build();
    }

    private JsonNode whole() throws Exception {
        ConverseResponse answer = await(client.converse(ConverseRequest.builder()
                .modelId(model).inferenceConfig(limits).system(system).toolConfig(tools).messages(messages)
                .additionalModelResponseFieldPaths("/stop_sequence").build()));
        return heard(answer.output().message(), answer.stopReasonAsString(), answer.additionalModelResponseFields());
    }

    private JsonNode stream(boolean leave, ArrayNode events) throws Exception {
        Gathering answer = new Gathering(events);
        CompletableFuture<Void> asked = client.converseStream(ConverseStreamRequest.builder()
                .modelId(model).inferenceConfig(limits).system(system).toolConfig(tools).messages(messages)
                .additionalModelResponseFieldPaths("/stop_sequence").build(),
                ConverseStreamResponseHandler.builder()
                        .onResponse(response -> began(response.responseMetadata().requestId()))
                        .subscriber(answer).build());
        JsonNode left = left(asked, answer.text, leave);
        if (left != null) return left;
        return heard(answer.message(), answer.end.stopReasonAsString(), answer.end.additionalModelResponseFields());
    }

    /** Adds an answer to the history, and returns it. */
    private ObjectNode heard(Message message, String stopReason, Document fields) throws Exception {
        messages.add(message);
        ObjectNode answer = Program.JSON.createObjectNode().put("stop_reason", stopReason);
        if (fields != null && fields.isMap() && fields.asMap().containsKey("stop_sequence")) {
            answer.set("stop_sequence", Documents.json(fields.asMap().get("stop_sequence")));
        }
        ArrayNode content = answer.putArray("content");
        for (ContentBlock block : message.content()) {
            if (block.type() == ContentBlock.Type.TEXT) {
                content.addObject().put("type", "text").put("text", block.text());
                continue;
            }
            ToolUseBlock call = block.toolUse();
            content.addObject().put("type", "tool_use").put("id", call.toolUseId()).put("name", call.name())
                    .set("input", Documents.json(call.input()));
        }
        return answer;
    }
}
