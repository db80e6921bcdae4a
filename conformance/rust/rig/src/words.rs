//! What is said in the terms of rig, and what was answered in those of the Messages API.

use program::{Block, Choice, Error, Part, Source, Tool};
use rig::completion::{Message, ToolDefinition};
use rig::message::{
    AssistantContent, DocumentSourceKind, Image, ImageMediaType, MimeType, ToolCall, ToolChoice, ToolName,
    ToolResultContent, UserContent,
};
use serde_json::Value;

pub fn tool(tool: &Tool) -> Result<ToolDefinition, Error> {
    Ok(ToolDefinition::new(ToolName::new(&tool.name)?, tool.description.clone(), tool.input_schema.clone()))
}

pub fn choice(choice: &Choice) -> Result<ToolChoice, Error> {
    Ok(match choice {
        Choice::Auto => ToolChoice::Auto,
        Choice::Any => ToolChoice::Required,
        Choice::None => ToolChoice::None,
        Choice::Tool { name } => ToolChoice::Specific { function_names: vec![ToolName::new(name)?] },
    })
}

/// A message of the user's, with the results of these calls.
pub fn said(content: Vec<Part>, calls: &[ToolCall]) -> Result<Message, Error> {
    let content = content.into_iter().map(|part| block(part, calls)).collect::<Result<Vec<_>, _>>()?;
    Ok(Message::from(content))
}

fn block(part: Part, calls: &[ToolCall]) -> Result<UserContent, Error> {
    Ok(match part {
        Part::Text { text } => UserContent::text(text),
        Part::Image { source } => UserContent::Image(image(source)),
        Part::ToolResult { tool_use_id, content, is_error } => {
            let call = calls.iter().find(|call| call.id.wire() == tool_use_id);
            let call = call.ok_or_else(|| Error::Own("a result of no call".to_string()))?;
            let content = content.into_iter().map(result).collect::<Result<_, _>>()?;
            UserContent::ToolResult(if is_error { call.error_result(content) } else { call.result(content) })
        }
    })
}

/// A block of a tool's result.
fn result(part: Part) -> Result<ToolResultContent, Error> {
    match part {
        Part::Text { text } => Ok(ToolResultContent::text(text)),
        Part::Image { source } => Ok(ToolResultContent::Image(image(source))),
        Part::ToolResult { .. } => Err(Error::Own("a result within a result".to_string())),
    }
}

fn image(source: Source) -> Image {
    Image {
        data: DocumentSourceKind::base64(source.data),
        media_type: ImageMediaType::from_mime_type(&source.media_type),
        ..Image::default()
    }
}

/// A block of an answer. A call whose arguments are not an object says so, and is not to be run.
pub fn given(block: &AssistantContent) -> Option<Result<Block, Error>> {
    match block {
        AssistantContent::Text(text) => Some(Ok(Block::Text { text: text.text.clone() })),
        AssistantContent::ToolCall(call) => Some(match &call.function.invalid_arguments {
            Some(json) => Err(Error::Own(format!("invalid arguments: {json}"))),
            None => Ok(Block::ToolUse {
                id: call.id.wire().into_owned(),
                name: call.function.name.to_string(),
                input: Value::Object(call.function.arguments.clone()),
            }),
        }),
        _ => None,
    }
}
