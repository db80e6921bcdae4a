import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import software.amazon.awssdk.services.bedrockruntime.model.ContentBlock;
import software.amazon.awssdk.services.bedrockruntime.model.ContentBlockDeltaEvent;
import software.amazon.awssdk.services.bedrockruntime.model.ContentBlockStartEvent;
import software.amazon.awssdk.services.bedrockruntime.model.ContentBlockStopEvent;
import software.amazon.awssdk.services.bedrockruntime.model.ConversationRole;
import software.amazon.awssdk.services.bedrockruntime.model.ConverseStreamMetadataEvent;
import software.amazon.awssdk.services.bedrockruntime.model.ConverseStreamResponseHandler;
import software.amazon.awssdk.services.bedrockruntime.model.Message;
import software.amazon.awssdk.services.bedrockruntime.model.MessageStartEvent;
import software.amazon.awssdk.services.bedrockruntime.model.MessageStopEvent;
import software.amazon.awssdk.services.bedrockruntime.model.ToolUseBlockStart;

/** What there is so far of an answer of Converse that is streamed. */
final class Gathering implements ConverseStreamResponseHandler.Visitor {
    /** A text, or the input of a call. */
    private record Block(ToolUseBlockStart call, StringBuilder pieces) {}

    final CompletableFuture<String> text = new CompletableFuture<>(); // the first piece of one
    MessageStopEvent end;
    private final ArrayNode events;
    private final List<Block> blocks = new ArrayList<>();

    Gathering(ArrayNode events) {
        this.events = events;
    }

    @Override public void visitMessageStart(MessageStartEvent event) {
        events.add("messageStart");
    }

    @Override public void visitContentBlockStart(ContentBlockStartEvent event) {
        events.add("contentBlockStart");
        blocks.add(new Block(event.start().toolUse(), new StringBuilder()));
    }

    @Override public void visitContentBlockDelta(ContentBlockDeltaEvent event) {
        events.add("contentBlockDelta");
        int index = event.contentBlockIndex();
        if (index == blocks.size()) blocks.add(new Block(null, new StringBuilder())); // the start of a text is not told
        boolean call = event.delta().toolUse() != null;
        blocks.get(index).pieces.append(call ? event.delta().toolUse().input() : event.delta().text());
        if (!call) text.complete(event.delta().text());
    }

    @Override public void visitContentBlockStop(ContentBlockStopEvent event) {
        events.add("contentBlockStop");
    }

    @Override public void visitMessageStop(MessageStopEvent event) {
        events.add("messageStop");
        end = event;
    }

    @Override public void visitMetadata(ConverseStreamMetadataEvent event) {
        events.add("metadata");
    }

    /** Returns the message, if the inputs of its calls are JSON. */
    Message message() throws IOException {
        List<ContentBlock> content = new ArrayList<>();
        for (Block block : blocks) {
            String pieces = block.pieces.toString();
            if (block.call == null) {
                content.add(ContentBlock.fromText(pieces));
                continue;
            }
            var input = Documents.of(Program.JSON.readTree(pieces));
            content.add(ContentBlock.fromToolUse(c -> c.toolUseId(block.call.toolUseId()).name(block.call.name()).input(input)));
        }
        return Message.builder().role(ConversationRole.ASSISTANT).content(content).build();
    }
}
