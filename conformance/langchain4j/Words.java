import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.response.ChatResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The words of the library for those of the Messages API. */
final class Words {
    private final Map<String, String> names = new HashMap<>(); // of the tools that were called, by the ids of calls

    /** Returns what a user says: each result is a message, and so is the rest. */
    List<ChatMessage> said(JsonNode turn) {
        List<ChatMessage> messages = new ArrayList<>();
        List<Content> rest = new ArrayList<>();
        for (JsonNode part : turn) {
            if (!part.has("tool_use_id")) {
                rest.add(content(part));
                continue;
            }
            List<Content> result = new ArrayList<>();
            part.get("content").forEach(inner -> result.add(content(inner)));
            String id = part.get("tool_use_id").asText();
            messages.add(ToolExecutionResultMessage.builder().id(id).toolName(names.get(id)).contents(result)
                    .isError(part.path("is_error").asBoolean()).build());
        }
        if (!rest.isEmpty()) messages.add(UserMessage.from(rest));
        return messages;
    }

    private static Content content(JsonNode part) {
        JsonNode source = part.get("source");
        if (source == null) return TextContent.from(part.get("text").asText());
        return ImageContent.from(source.get("data").asText(), source.get("media_type").asText());
    }

    /** Returns an answer as a message, if the arguments of its calls are JSON. */
    ObjectNode heard(ChatResponse response) throws IOException {
        AiMessage message = response.aiMessage();
        ObjectNode answer = Program.JSON.createObjectNode();
        if (response.finishReason() != null) {
            answer.put("stop_reason", switch (response.finishReason()) {
                case STOP -> "end_turn";
                case LENGTH -> "max_tokens";
                case TOOL_EXECUTION -> "tool_use";
                default -> response.finishReason().toString();
            });
        }
        ArrayNode content = answer.putArray("content");
        if (message.text() != null) content.addObject().put("type", "text").put("text", message.text());
        for (ToolExecutionRequest call : message.toolExecutionRequests()) {
            names.put(call.id(), call.name());
            content.addObject().put("type", "tool_use").put("id", call.id()).put("name", call.name())
                    .set("input", Program.JSON.readTree(call.arguments()));
        }
        return answer;
    }

    /** Returns what every request says. A tool that must be called is named elsewhere. */
    static ChatRequestParameters parameters(JsonNode setup) {
        return ChatRequestParameters.builder()
                .modelName(setup.get("model").asText())
                .maxOutputTokens(setup.get("max_tokens").asInt())
                .stopSequences(strings(setup.path("stop_sequences")))
                .toolSpecifications(tools(setup.path("tools")))
                .toolChoice(switch (setup.path("tool_choice").path("type").asText()) {
                    case "auto" -> ToolChoice.AUTO;
                    case "any", "tool" -> ToolChoice.REQUIRED;
                    case "none" -> ToolChoice.NONE;
                    default -> null;
                })
                .build();
    }

    private static List<ToolSpecification> tools(JsonNode offered) {
        List<ToolSpecification> tools = new ArrayList<>();
        for (JsonNode tool : offered) {
            JsonObjectSchema.Builder schema = JsonObjectSchema.builder();
            tool.get("input_schema").get("properties").fields().forEachRemaining(property ->
                    schema.addProperty(property.getKey(), JsonRawSchema.from(property.getValue().toString())));
            schema.required(strings(tool.get("input_schema").path("required")));
            tools.add(ToolSpecification.builder().name(tool.get("name").asText())
                    .description(tool.get("description").asText()).parameters(schema.build()).build());
        }
        return tools;
    }

    private static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(item -> strings.add(item.asText()));
        return strings;
    }
}
