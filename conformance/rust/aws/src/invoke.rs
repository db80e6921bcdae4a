//! A dialogue by InvokeModel, whose bodies are those of the Messages API.

use aws_sdk_bedrockruntime::Client;
use aws_sdk_bedrockruntime::operation::RequestId;
use aws_sdk_bedrockruntime::primitives::Blob;
use aws_sdk_bedrockruntime::types::ResponseStream;
use program::{Answer, Error, Part, Setup};
use serde_json::{Value, json};

use crate::errors;

pub struct Conversation {
    client: Client,
    model: String,
    body: Value,
}

impl Conversation {
    pub fn open(base_url: &str, key: &str, setup: Setup) -> Self {
        let mut body = json!(setup);
        body.as_object_mut().expect("a setup is an object").remove("model"); // has its place in the path
        body["anthropic_version"] = json!("bedrock-2023-05-31");
        body["messages"] = json!([]);
        Conversation { client: crate::dial(base_url, key), model: setup.model, body }
    }

    async fn ask(&self) -> Result<Value, Error> {
        let request = self.client.invoke_model().model_id(&self.model).content_type("application/json");
        let told = request.body(self.encoded()).send().await.map_err(errors::refused)?;
        Ok(serde_json::from_slice(told.body.as_ref())?)
    }

    /// Streams an answer, with the types of its events. One that is left has what there is of it so far.
    async fn stream(&self, leave: bool) -> Result<(Value, Vec<String>), Error> {
        let request = self.client.invoke_model_with_response_stream().model_id(&self.model);
        let request = request.content_type("application/json").body(self.encoded());
        let mut told = request.send().await.map_err(errors::refused)?;
        let id = told.request_id().unwrap_or_default().to_string();
        let (mut message, mut events) = (Value::Null, Vec::new());
        while let Some(event) = told.body.recv().await.map_err(|e| errors::broken_off(e, &id))? {
            let ResponseStream::Chunk(chunk) = event else {
                return Err(Error::Own("a chunk of an unknown type".to_string()));
            };
            let event: Value = serde_json::from_slice(chunk.bytes.unwrap_or_default().as_ref())?;
            add(&mut message, &event)?;
            events.push(text(&event["type"]).to_string());
            if leave && event["delta"]["type"] == "text_delta" {
                break;
            }
        }
        Ok((message, events))
    }

    fn encoded(&self) -> Blob {
        Blob::new(self.body.to_string())
    }

    /// Adds a message to the history.
    fn add(&mut self, role: &str, content: Value) {
        let messages = self.body["messages"].as_array_mut().expect("messages are an array");
        messages.push(json!({"role": role, "content": content}));
    }
}

impl program::Conversation for Conversation {
    async fn turn(&mut self, content: Vec<Part>, stream: bool, leave: bool) -> Result<Answer, Error> {
        self.add("user", json!(content));
        let (message, events) = if stream { self.stream(leave).await? } else { (self.ask().await?, Vec::new()) };
        self.add("assistant", message["content"].clone());
        Ok(Answer { events, ..serde_json::from_value(message)? })
    }
}

/// Adds an event of a stream to the message. The input of a call comes as pieces of its JSON, and is a string until
/// the block ends.
fn add(message: &mut Value, event: &Value) -> Result<(), Error> {
    let (index, delta) = (event["index"].as_u64().unwrap_or_default() as usize, &event["delta"]);
    match text(&event["type"]) {
        "message_start" => *message = event["message"].clone(),
        "content_block_start" => {
            let mut block = event["content_block"].clone();
            if block["type"] == "tool_use" {
                block["input"] = json!("");
            }
            message["content"].as_array_mut().ok_or_else(|| Error::Own("no message".to_string()))?.push(block);
        }
        "content_block_delta" => {
            let (field, piece) = match text(&delta["type"]) {
                "text_delta" => ("text", &delta["text"]),
                _ => ("input", &delta["partial_json"]),
            };
            let so_far = &mut message["content"][index][field];
            *so_far = json!(text(so_far).to_string() + text(piece));
        }
        "content_block_stop" => {
            let block = &mut message["content"][index];
            if block["type"] == "tool_use" {
                let input = text(&block["input"]);
                block["input"] = if input.is_empty() { json!({}) } else { serde_json::from_str(input)? };
            }
        }
        "message_delta" => {
            message["stop_reason"] = delta["stop_reason"].clone();
            message["stop_sequence"] = delta["stop_sequence"].clone();
        }
        _ => {}
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
