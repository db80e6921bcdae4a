import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import software.amazon.awssdk.core.document.Document;

/** JSON as the documents of the library, and back. Numbers keep their digits. */
final class Documents {
    private Documents() {}

    static Document of(JsonNode node) {
        switch (node.getNodeType()) {
            case OBJECT:
                var members = Document.mapBuilder();
                node.fields().forEachRemaining(member -> members.putDocument(member.getKey(), of(member.getValue())));
                return members.build();
            case ARRAY:
                var items = Document.listBuilder();
                node.forEach(item -> items.addDocument(of(item)));
                return items.build();
            case STRING: return Document.fromString(node.asText());
            case NUMBER: return Document.fromNumber(node.asText());
            case BOOLEAN: return Document.fromBoolean(node.asBoolean());
            default: return Document.fromNull();
        }
    }

    static JsonNode json(Document document) throws IOException {
        if (document.isMap()) {
            ObjectNode object = Program.JSON.createObjectNode();
            for (Map.Entry<String, Document> member : document.asMap().entrySet()) {
                object.set(member.getKey(), json(member.getValue()));
            }
            return object;
        }
        if (document.isList()) {
            ArrayNode array = Program.JSON.createArrayNode();
            for (Document item : document.asList()) array.add(json(item));
            return array;
        }
        if (document.isString()) return JsonNodeFactory.instance.textNode(document.asString());
        if (document.isNumber()) return Program.JSON.readTree(document.asNumber().stringValue());
        if (document.isBoolean()) return JsonNodeFactory.instance.booleanNode(document.asBoolean());
        return JsonNodeFactory.instance.nullNode();
    }
}
