import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.model.anthropic.AnthropicChatModel;
import dev.langchain4j.model.anthropic.AnthropicStreamingChatModel;
import dev.langchain4j.model.anthropic.internal.api.AnthropicStreamingException;
import dev.langchain4j.model.bedrock.BedrockChatModel;
import dev.langchain4j.model.bedrock.BedrockStreamingChatModel;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.service.TokenStream;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
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
import software.amazon.awssdk.services.bedrockruntime.BedrockRuntimeBaseClientBuilder;
import software.amazon.awssdk.services.bedrockruntime.BedrockRuntimeClient;

/** A dialogue through the chat models of LangChain4j, of the provider that the argument names: see program.go. */
public final class Client implements Program.Conversation {
    private static final SdkAsyncHttpClient HTTP = NettyNioAsyncHttpClient.create(); // one for all, for to close it takes seconds

    private final ChatModel model;
    private final StreamingChatModel streaming;
    private final Words words = new Words();
    private final List<ChatMessage> messages = new ArrayList<>();

    private Client(String name, JsonNode request) {
        String url = request.get("base_url").asText(), key = request.path("key").asText("none");
        JsonNode setup = request.get("setup");
        ChatRequestParameters parameters = Words.parameters(setup);
        if (name.equals("anthropic")) {
            String forced = setup.path("tool_choice").path("name").asText(null);
            model = AnthropicChatModel.builder().baseUrl(url + "/v1").apiKey(key).maxRetries(0)
                    .defaultRequestParameters(parameters).toolChoiceName(forced).build();
            streaming = AnthropicStreamingChatModel.builder().baseUrl(url + "/v1").apiKey(key)
                    .defaultRequestParameters(parameters).toolChoiceName(forced).build();
        } else {
            model = BedrockChatModel.builder().client(dial(BedrockRuntimeClient.builder(), url, key).build()).maxRetries(0)
                    .defaultRequestParameters(parameters).build();
            streaming = BedrockStreamingChatModel.builder()
                    .client(dial(BedrockRuntimeAsyncClient.builder().httpClient(HTTP), url, key).build())
                    .defaultRequestParameters(parameters).build();
        }
        if (setup.has("system")) messages.add(SystemMessage.from(setup.get("system").asText()));
    }

    private static <B extends BedrockRuntimeBaseClientBuilder<B, ?>> B dial(B builder, String url, String key) {
        return builder.endpointOverride(URI.create(url)).region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create(key, "secret")))
                .overrideConfiguration(c -> c.retryStrategy(AwsRetryStrategy.doNotRetry()));
    }

    @Override public JsonNode turn(JsonNode content, boolean stream, boolean leave, ArrayNode events) throws Exception {
        messages.addAll(words.said(content));
        ChatRequest request = ChatRequest.builder().messages(messages).build();
        ChatResponse response = stream ? stream(request, leave) : model.chat(request);
        messages.add(response.aiMessage());
        return words.heard(response);
    }

    /** Streams to the end or, with leave, to the first piece of text. */
    private ChatResponse stream(ChatRequest request, boolean leave) throws Exception {
        CompletableFuture<ChatResponse> answer = new CompletableFuture<>();
        streaming.chat(request, new StreamingChatResponseHandler() {
            @Override public void onPartialResponse(PartialResponse piece, PartialResponseContext context) {
                if (!leave) return;
                context.streamingHandle().cancel();
                answer.complete(ChatResponse.builder().aiMessage(AiMessage.from(piece.text())).build());
            }

            @Override public void onCompleteResponse(ChatResponse response) {
                answer.complete(response);
            }

            @Override public void onError(Throwable error) {
                answer.completeExceptionally(error);
            }
        });
        return await(answer);
    }

    private static <T> T await(CompletableFuture<T> answer) throws Exception {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    interface Assistant {
        TokenStream chat(String said);
    }

    @Override public void run(JsonNode content, ArrayNode ran) throws Exception {
        CompletableFuture<ChatResponse> answer = new CompletableFuture<>();
        Assistant assistant = AiServices.builder(Assistant.class).streamingChatModel(streaming).tools(new Notes(ran)).build();
        assistant.chat(content.get(0).get("text").asText())
                .onPartialResponse(piece -> {})
                .onCompleteResponse(answer::complete)
                .onError(answer::completeExceptionally)
                .start();
        await(answer);
    }

    @Override public ObjectNode failure(Exception e) {
        ObjectNode failure = Program.JSON.createObjectNode();
        for (Throwable told = e; told != null; told = told.getCause()) {
            if (told instanceof HttpException refused) {
                return failure.put("status", refused.statusCode()).set("body", body(refused.getMessage()));
            }
            if (told instanceof AnthropicStreamingException broken) {
                failure.putObject("body").put("type", "error").putObject("error")
                        .put("type", broken.type()).put("message", broken.getMessage());
                return failure;
            }
            if (told instanceof AwsServiceException refused) {
                var details = refused.awsErrorDetails();
                failure.putObject("body").put("__type", details.errorCode()).put("message", details.errorMessage());
                return failure.put("status", refused.statusCode()).put("request_id", refused.requestId());
            }
        }
        return null;
    }

    private static JsonNode body(String text) {
        try {
            return Program.JSON.readTree(text);
        } catch (IOException e) {
            return TextNode.valueOf(text);
        }
    }

    public static void main(String[] args) throws Exception {
        Program.run(request -> new Client(args[0], request));
    }
}
