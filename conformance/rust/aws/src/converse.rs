//! A dialogue by Converse, from and to the terms of the Messages API.

use aws_sdk_bedrockruntime::Client;
use aws_sdk_bedrockruntime::operation::RequestId;
use aws_sdk_bedrockruntime::types::{
    ContentBlock, ContentBlockDelta, ContentBlockStart, ConversationRole, ConverseStreamOutput as Event,
    InferenceConfiguration, Message, MessageStopEvent, StopReason, SystemContentBlock, ToolConfiguration, ToolUseBlock,
    ToolUseBlockStart,
};
use aws_smithy_types::Document;
use program::{Answer, Error, Part, Setup};

use crate::{document, errors, words};

/// What a conversation's requests say.
pub struct Conversation {
    client: Client,
    model: String,
    inference: InferenceConfiguration,
    system: Option<Vec<SystemContentBlock>>,
    tools: Option<ToolConfiguration>,
    messages: Vec<Message>,
}

/// Asks for what Converse does not tell of by itself.
const STOP_SEQUENCE: &str = "/stop_sequence";

impl Conversation {
    pub fn open(base_url: &str, key: &str, setup: Setup) -> Self {
        let stops = Some(setup.stop_sequences.clone()).filter(|stops| !stops.is_empty());
        Conversation {
            client: crate::dial(base_url, key),
            inference: InferenceConfiguration::builder()
                .max_tokens(setup.max_tokens as i32)
                .set_stop_sequences(stops)
                .build(),
            system: setup.system.clone().map(|text| vec![SystemContentBlock::Text(text)]),
            tools: words::tools(&setup),
            model: setup.model,
            messages: Vec::new(),
        }
    }

    async fn ask(&mut self) -> Result<Answer, Error> {
        let request = self.client.converse().model_id(&self.model).additional_model_response_field_paths(STOP_SEQUENCE);
        let told = request
            .inference_config(self.inference.clone())
            .set_system(self.system.clone())
            .set_tool_config(self.tools.clone())
            .set_messages(Some(self.messages.clone()))
            .send()
            .await
            .map_err(errors::refused)?;
        let message = told.output.as_ref().and_then(|output| output.as_message().ok()).cloned();
        let message = message.ok_or_else(|| Error::Own("no message".to_string()))?;
        self.keep(message, &told.stop_reason, told.additional_model_response_fields.as_ref())
    }

    async fn stream(&mut self, leave: bool) -> Result<Answer, Error> {
        let request =
            self.client.converse_stream().model_id(&self.model).additional_model_response_field_paths(STOP_SEQUENCE);
        let mut told = request
            .inference_config(self.inference.clone())
            .set_system(self.system.clone())
            .set_tool_config(self.tools.clone())
            .set_messages(Some(self.messages.clone()))
            .send()
            .await
            .map_err(errors::refused)?;
        let id = told.request_id().unwrap_or_default().to_string();
        let mut so_far = Gathering::default();
        while let Some(event) = told.stream.recv().await.map_err(|e| errors::broken_off(e, &id))? {
            so_far.add(event)?;
            if leave && !so_far.text.is_empty() {
                return Ok(Answer::left(so_far.text));
            }
        }
        let end = so_far.end.ok_or_else(|| Error::Own("no end".to_string()))?;
        let message = message(ConversationRole::Assistant, so_far.content);
        let answer = self.keep(message, &end.stop_reason, end.additional_model_response_fields.as_ref())?;
        Ok(Answer { events: so_far.events, ..answer })
    }

    /// Adds an answer to the history, and returns it.
    fn keep(&mut self, message: Message, stop: &StopReason, fields: Option<&Document>) -> Result<Answer, Error> {
        let content = message.content.iter().filter_map(words::given).collect();
        self.messages.push(message);
        let extra = fields.and_then(Document::as_object).and_then(|fields| fields.get("stop_sequence"));
        Ok(Answer {
            content,
            stop_reason: Some(stop.as_str().to_string()),
            stop_sequence: extra.and_then(Document::as_string).map(str::to_string),
            events: Vec::new(),
        })
    }
}

impl program::Conversation for Conversation {
    async fn turn(&mut self, content: Vec<Part>, stream: bool, leave: bool) -> Result<Answer, Error> {
        let said = content.into_iter().map(words::block).collect::<Result<_, _>>()?;
        self.messages.push(message(ConversationRole::User, said));
        if stream { self.stream(leave).await } else { self.ask().await }
    }
}

fn message(role: ConversationRole, content: Vec<ContentBlock>) -> Message {
    Message::builder().role(role).set_content(Some(content)).build().expect("a message has a role")
}

/// What there is so far of an answer that is streamed.
#[derive(Default)]
struct Gathering {
    events: Vec<String>,
    content: Vec<ContentBlock>,
    end: Option<MessageStopEvent>,

    // The block that is streaming: a text, or a call if there is one, whose input is JSON.
    text: String,
    input: String,
    call: Option<ToolUseBlockStart>,
}

impl Gathering {
    fn add(&mut self, event: Event) -> Result<(), Error> {
        let name = match event {
            Event::MessageStart(_) => "messageStart",
            Event::ContentBlockStart(e) => {
                if let Some(ContentBlockStart::ToolUse(call)) = e.start {
                    self.call = Some(call);
                }
                "contentBlockStart"
            }
            Event::ContentBlockDelta(e) => {
                match e.delta {
                    Some(ContentBlockDelta::Text(text)) => self.text += &text,
                    Some(ContentBlockDelta::ToolUse(call)) => self.input += &call.input,
                    _ => {}
                }
                "contentBlockDelta"
            }
            Event::ContentBlockStop(_) => {
                self.close()?;
                "contentBlockStop"
            }
            Event::MessageStop(e) => {
                self.end = Some(e);
                "messageStop"
            }
            Event::Metadata(_) => "metadata",
            _ => return Ok(()), // the server breaks its silence with one
        };
        self.events.push(name.to_string());
        Ok(())
    }

    /// Ends the block that is streaming.
    fn close(&mut self) -> Result<(), Error> {
        let (text, input) = (std::mem::take(&mut self.text), std::mem::take(&mut self.input));
        self.content.push(match self.call.take() {
            None => ContentBlock::Text(text),
            Some(call) => ContentBlock::ToolUse(
                ToolUseBlock::builder()
                    .tool_use_id(call.tool_use_id)
                    .name(call.name)
                    .input(document::from_json(serde_json::from_str(&input)?))
                    .build()?,
            ),
        });
        Ok(())
    }
}
