import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.bedrockruntime.BedrockRuntimeAsyncClient;

/**
 * A dialogue through the AWS SDK for Java, with the operations of Bedrock that the argument names: see program.go.
 * Streams are of the asynchronous client alone.
 */
abstract class Client implements Program.Conversation {
    private static final SdkAsyncHttpClient HTTP = NettyNioAsyncHttpClient.create(); // one for all, for to close it takes seconds

    final BedrockRuntimeAsyncClient client;
    private String streamed; // the id of the last request for a stream

    Client(BedrockRuntimeAsyncClient client) {
        this.client = client;
    }

    private static BedrockRuntimeAsyncClient dial(JsonNode request, boolean retries) {
        var key = AwsBasicCredentials.create(request.path("key").asText("none"), "secret");
        return BedrockRuntimeAsyncClient.builder()
                .endpointOverride(URI.create(request.get("base_url").asText()))
                .httpClient(HTTP)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(key))
                .overrideConfiguration(c -> { if (!retries) c.retryStrategy(AwsRetryStrategy.doNotRetry()); })
                .build();
    }

    /** Notes the id of a request for a stream: a failure within it has none. */
    void began(String requestId) {
        streamed = requestId;
    }

    /** Waits for an answer. A wait that is interrupted gives the request up. */
    static <T> T await(CompletableFuture<T> answer) throws Exception {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Waits for the end of a stream and returns null or, with leave, for its first text, and returns a message of that. */
    static JsonNode left(CompletableFuture<Void> stream, CompletableFuture<String> text, boolean leave) throws Exception {
        if (!leave) {
            await(stream);
            return null;
        }
        String said = await(text);
        stream.cancel(true);
        ObjectNode message = Program.JSON.createObjectNode();
        message.putArray("content").addObject().put("type", "text").put("text", said);
        return message;
    }

    @Override public ObjectNode failure(Exception e) {
        if (!(e instanceof AwsServiceException told)) return null;
        ObjectNode failure = Program.JSON.createObjectNode().put("status", told.statusCode());
        var details = told.awsErrorDetails();
        failure.putObject("body").put("__type", details.errorCode()).put("message", details.errorMessage());
        return failure.put("request_id", told.requestId() != null ? told.requestId() : streamed);
    }

    @Override public void close() {
        client.close();
    }

    public static void main(String[] args) throws Exception {
        boolean retries = List.of(args).contains("retries");
        Program.run(request -> {
            BedrockRuntimeAsyncClient client = dial(request, retries);
            JsonNode setup = request.get("setup");
            return args[0].equals("invoke") ? new Invoke(client, setup) : new Converse(client, setup);
        });
    }
}
