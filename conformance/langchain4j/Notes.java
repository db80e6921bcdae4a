import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.langchain4j.agent.tool.P;
import dev.langchain4j.agent.tool.Tool;

/** A tool that tells what it is run with: what is not there is null. */
final class Notes {
    private final ArrayNode ran;

    Notes(ArrayNode ran) {
        this.ran = ran;
    }

    @Tool(name = "write_note", value = "Stores a note.")
    public String write(
            @P(name = "text", value = "The text") String text,
            @P(name = "number", value = "A number", required = false) Integer number) {
        ObjectNode input = ran.addObject().put("name", "write_note").putObject("input");
        if (text != null) input.put("text", text);
        if (number != null) input.put("number", number);
        return "stored";
    }
}
