//! Holds conversations through rig, with its provider of Anthropic: see program.go.

mod words;

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use program::{Answer, Block, Error, Failure, Part, Setup};
use rig::completion::{CompletionRequest, CompletionResponse, FinishReason, Message};
use rig::message::ToolCall;
use rig::providers::anthropic::{AnthropicConfig, Messages};
use rig::streaming::{Item, StreamEvent};
use rig::tool::{DynamicTool, ToolOutput};
use rig::{AgentBuilder, Model, ProviderError};

fn main() -> std::io::Result<()> {
    program::run(Conversation::open)
}

struct Conversation {
    model: Model<Messages>,
    setup: Setup,
    history: Vec<Message>,
    calls: Vec<ToolCall>, // of the last answer
}

impl Conversation {
    fn open(base_url: &str, key: &str, setup: Setup) -> Self {
        let client = AnthropicConfig::new(key).with_base_url(base_url).client();
        Conversation { model: client.completion(&setup.model), setup, history: Vec::new(), calls: Vec::new() }
    }

    /// The next request: its prompt is the last message.
    fn request(&self, said: Message) -> Result<CompletionRequest, Error> {
        let mut request = CompletionRequest::new(said)
            .messages(self.history.clone())
            .max_tokens(self.max_tokens())
            .stop(self.setup.stop_sequences.clone())
            .tools(self.setup.tools.iter().map(words::tool).collect::<Result<_, _>>()?);
        if let Some(system) = &self.setup.system {
            request = request.preamble(system);
        }
        if let Some(choice) = &self.setup.tool_choice {
            request = request.tool_choice(words::choice(choice)?);
        }
        Ok(request)
    }

    fn max_tokens(&self) -> u64 {
        self.setup.max_tokens.try_into().expect("the library has no other max_tokens")
    }

    /// Adds a turn and its answer to the history, and returns the answer.
    fn keep(&mut self, said: Message, told: CompletionResponse) -> Result<Answer, Error> {
        self.history.push(said);
        self.history.extend(told.message());
        self.calls = told.tool_calls().cloned().collect();
        let stop_reason = match told.finish_reason() {
            Some(FinishReason::Stop) => "end_turn".to_string(),
            Some(FinishReason::Length) => "max_tokens".to_string(),
            Some(FinishReason::ToolCalls) => "tool_use".to_string(),
            other => format!("{other:?}"),
        };
        let content = told.choice.iter().filter_map(words::given).collect::<Result<_, _>>()?;
        Ok(Answer { content, stop_reason: Some(stop_reason), ..Answer::default() })
    }
}

impl program::Conversation for Conversation {
    async fn turn(&mut self, content: Vec<Part>, stream: bool, leave: bool) -> Result<Answer, Error> {
        let said = words::said(content, &self.calls)?;
        let request = self.request(said.clone())?;
        if !stream {
            let told = self.model.call(request).await.map_err(failure)?;
            return self.keep(said, told);
        }
        let mut events = self.model.stream(request).map_err(failure)?;
        while let Some(event) = events.next().await {
            match event.map_err(failure)? {
                Item::Event(StreamEvent::Text { text, .. }) if leave => return Ok(Answer::left(text)),
                _ => {}
            }
        }
        let told = events.finish().await.map_err(failure)?;
        self.keep(said, told)
    }

    async fn run(&mut self, content: Vec<Part>, ran: &mut Vec<Block>) -> Result<(), Error> {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let tools = self.setup.tools.iter().map(|tool| runnable(tool, &calls)).collect::<Result<_, _>>()?;
        let agent = AgentBuilder::new(self.model.clone()).max_tokens(self.max_tokens()).dynamic_tools(tools).build();
        let mut events = agent.prompt(words::said(content, &[])?).max_turns(4).stream();
        let mut taken = Ok(());
        while let Some(event) = events.next().await {
            taken = event.map(|_| ()).map_err(Error::from);
        }
        ran.append(&mut calls.lock().expect("no tool panics"));
        taken
    }
}

/// A tool that tells what it is run with.
fn runnable(tool: &program::Tool, calls: &Arc<Mutex<Vec<Block>>>) -> Result<DynamicTool, Error> {
    let (definition, calls) = (words::tool(tool)?, calls.clone());
    let name = definition.name.to_string();
    let told = move |input| {
        let call = Block::ToolUse { id: String::new(), name: name.clone(), input };
        calls.lock().expect("no tool panics").push(call);
        let stored: Result<_, _> = Ok(ToolOutput::text("stored"));
        Box::pin(std::future::ready(stored)) as _
    };
    Ok(DynamicTool::new(definition.name, definition.description, definition.parameters, told))
}

/// What the library says of an error.
fn failure(e: ProviderError) -> Error {
    match e.provider_response_json() {
        Ok(Some(body)) => Error::Told(Failure {
            status: e.provider_response_status().map_or(0, |status| status.as_u16()),
            body,
            request_id: e.provider_request_id().unwrap_or_default().to_string(),
        }),
        _ => Error::Own(e.to_string()),
    }
}
