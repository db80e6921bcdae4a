//! What is said in the terms of Converse, and what was answered in those of the Messages API.

use aws_sdk_bedrockruntime::error::BuildError;
use aws_sdk_bedrockruntime::primitives::Blob;
use aws_sdk_bedrockruntime::types as converse;
use program::{Block, Choice, Error, Part, Setup, Source};

use crate::document;

/// The tools of a conversation and which of them is to be called, if it has any.
pub fn tools(setup: &Setup) -> Option<converse::ToolConfiguration> {
    if setup.tools.is_empty() {
        return None;
    }
    let choice = setup.tool_choice.as_ref().map(|choice| match choice {
        Choice::Auto => converse::ToolChoice::Auto(converse::AutoToolChoice::builder().build()),
        Choice::Any => converse::ToolChoice::Any(converse::AnyToolChoice::builder().build()),
        Choice::Tool { name } => {
            let tool = converse::SpecificToolChoice::builder().name(name).build();
            converse::ToolChoice::Tool(tool.expect("the tool has a name"))
        }
        Choice::None => panic!("Converse has no such choice"),
    });
    let tools = setup.tools.iter().cloned().map(tool).collect();
    Some(
        converse::ToolConfiguration::builder()
            .set_tools(Some(tools))
            .set_tool_choice(choice)
            .build()
            .expect("there are tools"),
    )
}

fn tool(tool: program::Tool) -> converse::Tool {
    let spec = converse::ToolSpecification::builder()
        .name(tool.name)
        .description(tool.description)
        .input_schema(converse::ToolInputSchema::Json(document::from_json(tool.input_schema)))
        .build();
    converse::Tool::ToolSpec(spec.expect("the tool has a name"))
}

/// A block of what the user says.
pub fn block(part: Part) -> Result<converse::ContentBlock, Error> {
    Ok(match part {
        Part::Text { text } => converse::ContentBlock::Text(text),
        Part::Image { source } => converse::ContentBlock::Image(image(source)?),
        Part::ToolResult { tool_use_id, content, is_error } => {
            let content = content.into_iter().map(result).collect::<Result<_, _>>()?;
            converse::ContentBlock::ToolResult(
                converse::ToolResultBlock::builder()
                    .tool_use_id(tool_use_id)
                    .set_content(Some(content))
                    .status(if is_error {
                        converse::ToolResultStatus::Error
                    } else {
                        converse::ToolResultStatus::Success
                    })
                    .build()?,
            )
        }
    })
}

/// A block of a tool's result.
fn result(part: Part) -> Result<converse::ToolResultContentBlock, Error> {
    match part {
        Part::Text { text } => Ok(converse::ToolResultContentBlock::Text(text)),
        Part::Image { source } => Ok(converse::ToolResultContentBlock::Image(image(source)?)),
        Part::ToolResult { .. } => Err(Error::Own("a result within a result".to_string())),
    }
}

fn image(source: Source) -> Result<converse::ImageBlock, BuildError> {
    let data = aws_smithy_types::base64::decode(source.data).map_err(BuildError::other)?;
    converse::ImageBlock::builder()
        .format(converse::ImageFormat::from(source.media_type.trim_start_matches("image/")))
        .source(converse::ImageSource::Bytes(Blob::new(data)))
        .build()
}

/// A block of an answer.
pub fn given(block: &converse::ContentBlock) -> Option<Block> {
    match block {
        converse::ContentBlock::Text(text) => Some(Block::Text { text: text.clone() }),
        converse::ContentBlock::ToolUse(call) => Some(Block::ToolUse {
            id: call.tool_use_id.clone(),
            name: call.name.clone(),
            input: document::to_json(&call.input),
        }),
        _ => None,
    }
}
