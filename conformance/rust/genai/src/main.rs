//! Holds conversations through genai, with its adapter of Anthropic: see program.go.

use futures_util::StreamExt;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, ContentPart, MessageContent, StopReason, Tool, ToolChoice,
    ToolResponse,
};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{Client, ModelIden, ServiceTarget, webc};
use program::{Answer, Block, Choice, Error, Failure, Part, Setup};
use serde_json::{Map, Value};

fn main() -> std::io::Result<()> {
    program::run(Conversation::open)
}

struct Conversation {
    client: Client,
    model: String,
    options: ChatOptions,
    request: ChatRequest,
}

impl Conversation {
    fn open(base_url: &str, key: &str, setup: Setup) -> Self {
        let mut options = ChatOptions::default()
            .with_max_tokens(setup.max_tokens.try_into().expect("the library has no other max_tokens"))
            .with_stop_sequences(setup.stop_sequences)
            .with_capture_content(true)
            .with_capture_tool_calls(true);
        options.tool_choice = setup.tool_choice.map(choice);
        let tools = setup.tools.into_iter().map(tool).collect::<Vec<_>>();
        let request = ChatRequest {
            system: setup.system,
            tools: Some(tools).filter(|tools| !tools.is_empty()),
            ..ChatRequest::default()
        };
        Conversation { client: client(base_url, key), model: setup.model, options, request }
    }

    async fn ask(&mut self) -> Result<Answer, Error> {
        let told =
            self.client.exec_chat(&self.model, self.request.clone(), Some(&self.options)).await.map_err(failure)?;
        self.keep(told.content, told.stop_reason)
    }

    async fn stream(&mut self, leave: bool) -> Result<Answer, Error> {
        let told = self.client.exec_chat_stream(&self.model, self.request.clone(), Some(&self.options)).await;
        let mut events = told.map_err(failure)?.stream;
        while let Some(event) = events.next().await {
            match event.map_err(failure)? {
                ChatStreamEvent::Chunk(text) if leave => return Ok(Answer::left(text.content)),
                ChatStreamEvent::End(end) => {
                    return self.keep(end.captured_content.unwrap_or_default(), end.captured_stop_reason);
                }
                _ => {}
            }
        }
        Err(Error::Own("the stream has ended without its last event".to_string()))
    }

    /// Adds an answer to the history, and returns it.
    fn keep(&mut self, content: MessageContent, stop: Option<StopReason>) -> Result<Answer, Error> {
        let given = content.parts().iter().filter_map(given).collect::<Result<_, _>>()?;
        self.request.messages.push(ChatMessage::assistant(content));
        let stop_reason = stop.map(|stop| stop.raw().to_string());
        Ok(Answer { content: given, stop_reason, ..Answer::default() })
    }
}

impl program::Conversation for Conversation {
    async fn turn(&mut self, content: Vec<Part>, stream: bool, leave: bool) -> Result<Answer, Error> {
        let said = content.into_iter().map(part).collect::<Result<Vec<_>, _>>()?;
        self.request.messages.push(ChatMessage::user(MessageContent::from_parts(said)));
        if stream { self.stream(leave).await } else { self.ask().await }
    }
}

/// A client whose requests go to the server, whatever the model.
fn client(base_url: &str, key: &str) -> Client {
    let (endpoint, auth) = (Endpoint::from_owned(format!("{base_url}/v1/")), AuthData::from_single(key));
    let here = move |asked: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
        let model = ModelIden::new(AdapterKind::Anthropic, asked.model.model_name);
        Ok(ServiceTarget { endpoint: endpoint.clone(), auth: auth.clone(), model })
    };
    let client = Client::builder().with_service_target_resolver(ServiceTargetResolver::from_resolver_fn(here)).build();
    client.expect("the library takes the resolver")
}

fn tool(tool: program::Tool) -> Tool {
    Tool::new(tool.name).with_description(tool.description).with_schema(tool.input_schema)
}

fn choice(choice: Choice) -> ToolChoice {
    match choice {
        Choice::Auto => ToolChoice::Auto,
        Choice::Any => ToolChoice::Required,
        Choice::None => ToolChoice::None,
        Choice::Tool { name } => ToolChoice::tool(name),
    }
}

/// A part of what the user says. A result is one text, and does not tell that it is an error.
fn part(part: Part) -> Result<ContentPart, Error> {
    match part {
        Part::Text { text } => Ok(ContentPart::from_text(text)),
        Part::Image { source } => Ok(ContentPart::from_binary_base64(source.media_type, source.data, None)),
        Part::ToolResult { tool_use_id, content, .. } => match content.as_slice() {
            [Part::Text { text }] => Ok(ToolResponse::new(tool_use_id, text).into()),
            _ => Err(Error::Own("a result is one text".to_string())),
        },
    }
}

/// A part of an answer. Arguments that are not an object are what came of one that was cut, as a text.
fn given(part: &ContentPart) -> Option<Result<Block, Error>> {
    match part {
        ContentPart::Text(text) => Some(Ok(Block::Text { text: text.clone() })),
        ContentPart::ToolCall(call) => {
            let input = serde_json::from_value::<Map<String, Value>>(call.fn_arguments.clone());
            let call = |input| Block::ToolUse { id: call.call_id.clone(), name: call.fn_name.clone(), input };
            Some(input.map(|input| call(Value::Object(input))).map_err(Error::from))
        }
        _ => None,
    }
}

/// What the library says of an error. One before a stream is within an error of the stream's, and the id of one within
/// it is in its body alone.
fn failure(e: genai::Error) -> Error {
    let cause = match &e {
        genai::Error::WebStream { error, .. } => error.downcast_ref().unwrap_or(&e),
        other => other,
    };
    let body: Value = match cause {
        genai::Error::WebModelCall { webc_error: webc::Error::ResponseFailedStatus { body, .. }, .. }
        | genai::Error::HttpError { body, .. } => serde_json::from_str(body).unwrap_or_default(),
        genai::Error::ChatResponse { body, .. } => body.clone(),
        _ => return Error::Own(e.to_string()),
    };
    let id = cause.headers().and_then(|headers| headers.get("request-id")).and_then(|id| id.to_str().ok());
    let request_id = id.or(body["request_id"].as_str()).unwrap_or_default().to_string();
    Error::Told(Failure { status: cause.status().map_or(0, |status| status.as_u16()), body, request_id })
}
