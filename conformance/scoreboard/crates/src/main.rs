//! Reads completions with a parser that is published as a crate: the first argument names the crate, and the
//! second one the parser as the crate calls it. What it reads and prints is that of ../peers.py.

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Item {
    completion: String,
    tools: Vec<Tool>,
}

#[derive(Deserialize)]
struct Tool {
    name: String,
    input_schema: Value,
}

/// Arguments as the crate gives them: a text of JSON.
#[derive(Serialize)]
struct Call {
    name: String,
    json: String,
}

#[derive(Default, Serialize)]
struct Answer {
    calls: Vec<Call>,
    text: String,
    error: String,
    ms: f64,
}

type Parsed = Result<(Vec<Call>, String), Box<dyn Error>>;

/// dynamo is what dynamo-parsers makes of an answer that is whole.
async fn dynamo(parser: &str, item: &Item) -> Parsed {
    use dynamo_parsers::tool_calling::{ToolDefinition, parsers::detect_and_parse_tool_call_with_recovery};

    let definition =
        |t: &Tool| ToolDefinition { name: t.name.clone(), parameters: Some(t.input_schema.clone()), strict: None };
    let tools: Vec<_> = item.tools.iter().map(definition).collect();
    let (calls, text) = detect_and_parse_tool_call_with_recovery(&item.completion, Some(parser), Some(&tools)).await?;
    let calls = calls.into_iter().map(|c| Call { name: c.function.name, json: c.function.arguments });
    Ok((calls.collect(), text.unwrap_or_default()))
}

/// dynamo_v2 is what dynamo-parsers-v2 makes of the same.
fn dynamo_v2(parser: &str, item: &Item) -> Parsed {
    use dynamo_parsers_v2::{Tool, create_tool_parser_for_family};

    let tools = item.tools.iter().map(|t| Tool {
        name: t.name.clone(),
        description: None,
        parameters: t.input_schema.clone(),
        strict: None,
    });
    let result = create_tool_parser_for_family(parser, &tools.collect::<Vec<_>>())?.parse_complete(&item.completion)?;
    let calls = result.calls.into_iter().map(|c| Call { name: c.name.unwrap_or_default(), json: c.arguments });
    Ok((calls.collect(), result.normal_text))
}

/// tool_parser is what tool-parser makes of it.
async fn tool_parser(parser: &str, item: &Item) -> Parsed {
    let factory = tool_parser::ParserFactory::new();
    let parser = factory.registry().create_parser(parser).ok_or("no such parser")?;
    let tools = item.tools.iter().map(|t| {
        serde_json::from_value(json!({"type": "function", "function": {"name": t.name, "parameters": t.input_schema}}))
    });
    let tools: Vec<openai_protocol::common::Tool> = tools.collect::<Result<_, _>>()?;
    let (text, calls) = parser.parse_complete_with_tools(&item.completion, &tools).await?;
    let calls = calls.into_iter().map(|c| Call { name: c.function.name, json: c.function.arguments });
    Ok((calls.collect(), text))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, parser] = arguments.as_slice() else {
        return Err("usage: crates-client CRATE PARSER".into());
    };
    for line in io::stdin().lock().lines() {
        let item: Item = serde_json::from_str(&line?)?;
        let began = Instant::now();
        let parsed = match from.as_str() {
            "dynamo-parsers" => dynamo(parser, &item).await,
            "dynamo-parsers-v2" => dynamo_v2(parser, &item),
            "tool-parser" => tool_parser(parser, &item).await,
            _ => return Err(format!("no crate {from}").into()),
        };
        let mut answer = match parsed {
            Ok((calls, text)) => Answer { calls, text, ..Answer::default() },
            Err(error) => Answer { error: error.to_string(), ..Answer::default() },
        };
        answer.ms = began.elapsed().as_secs_f64() * 1000.0;
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &answer)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
