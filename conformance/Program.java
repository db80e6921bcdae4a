import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** The loop of a program in Java: see program.go. */
final class Program {
    /** JSON of requests and verdicts: every number keeps its digits. */
    static final JsonMapper JSON = new JsonMapper();

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Program() {}

    /** A dialogue through a library. A turn that is to be aborted is interrupted. */
    interface Conversation {
        /** Says something and returns the message. A stream adds the types of its events. */
        JsonNode turn(JsonNode content, boolean stream, boolean leave, ArrayNode events) throws Exception;

        /** Has the library run the tools, and adds each call that it runs. */
        default void run(JsonNode content, ArrayNode ran) throws Exception {
            throw new UnsupportedOperationException();
        }

        /** Returns what the server told of an error: status, body and request_id; null if it is not the server's. */
        ObjectNode failure(Exception e);

        default void close() {}
    }

    /** Takes turns until there are no more requests. begin gets the request that begins a conversation. */
    static void run(Function<JsonNode, Conversation> begin) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Conversation conversation = null;
        Thread turn = null;
        for (String line; (line = in.readLine()) != null; ) {
            JsonNode request = JSON.readTree(line);
            if (request.has("setup")) {
                if (conversation != null) conversation.close();
                conversation = begin.apply(request);
            } else if (request.has("abort")) {
                turn.interrupt();
            } else {
                Conversation asked = conversation;
                turn = new Thread(() -> OUT.println(verdict(asked, request)));
                turn.start();
            }
        }
        System.exit(0); // whatever threads the library has left
    }

    private static ObjectNode verdict(Conversation conversation, JsonNode request) {
        ObjectNode verdict = JSON.createObjectNode();
        try {
            if (request.path("run").asBoolean()) {
                conversation.run(request.get("content"), verdict.putObject("message").putArray("content"));
                return verdict;
            }
            boolean stream = request.path("stream").asBoolean(), leave = request.path("leave").asBoolean();
            verdict.set("message", conversation.turn(request.get("content"), stream, leave, verdict.putArray("events")));
        } catch (Exception e) {
            ObjectNode failure = conversation.failure(e);
            if (failure != null) verdict.set("failure", failure);
            else verdict.put("error", e.toString());
        }
        return verdict;
    }
}
