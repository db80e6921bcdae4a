//! The loop of a program in Rust: see program.go, of which the types are, too.

use std::future::Future;
use std::io;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

/// What every request of a conversation says.
#[derive(Clone, Deserialize, Serialize)]
pub struct Setup {
    pub model: String,
    pub max_tokens: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<Choice>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
}

#[derive(Clone, Deserialize, Serialize)]
pub struct Tool {
    pub name: String,
    pub description: String,
    pub input_schema: Value,
}

#[derive(Clone, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Choice {
    Auto,
    Any,
    None,
    Tool { name: String },
}

/// A block of what the user says.
#[derive(Clone, Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    Text {
        text: String,
    },
    Image {
        source: Source,
    },
    ToolResult {
        tool_use_id: String,
        content: Vec<Part>,
        #[serde(default)]
        is_error: bool,
    },
}

/// The data of an image, in base64.
#[derive(Clone, Deserialize, Serialize)]
pub struct Source {
    #[serde(rename = "type")]
    pub kind: String,
    pub media_type: String,
    pub data: String,
}

/// A message of the model.
#[derive(Default, Deserialize, Serialize)]
pub struct Answer {
    pub content: Vec<Block>,
    pub stop_reason: Option<String>,
    pub stop_sequence: Option<String>,
    /// The types of the stream's events.
    #[serde(skip)]
    pub events: Vec<String>,
}

#[derive(Deserialize, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text { text: String },
    ToolUse { id: String, name: String, input: Value },
}

impl Answer {
    /// What there is of an answer that is left.
    pub fn left(text: String) -> Self {
        Answer { content: vec![Block::Text { text }], ..Answer::default() }
    }
}

/// Why there is no answer.
pub enum Error {
    /// What the server told.
    Told(Failure),
    /// An error in the library's words.
    Own(String),
}

#[derive(Serialize)]
pub struct Failure {
    pub status: u16,
    pub body: Value,
    pub request_id: String,
}

impl<E: std::error::Error> From<E> for Error {
    fn from(e: E) -> Self {
        Error::Own(e.to_string())
    }
}

/// A dialogue held through a library, which keeps its history.
pub trait Conversation {
    /// Says something and returns the answer. If it is streamed, it may have to leave when the first text has come.
    fn turn(&mut self, content: Vec<Part>, stream: bool, leave: bool) -> impl Future<Output = Result<Answer, Error>>;

    /// Says something and has the library run the tools that are called. It adds the calls to those that ran.
    fn run(&mut self, _content: Vec<Part>, _ran: &mut Vec<Block>) -> impl Future<Output = Result<(), Error>> {
        async { Err(Error::Own("the library runs no tools".to_string())) }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Request {
    Open {
        base_url: String,
        #[serde(default = "none")]
        key: String,
        setup: Setup,
    },
    Turn {
        content: Vec<Part>,
        #[serde(default)]
        stream: bool,
        #[serde(default)]
        leave: bool,
        #[serde(default)]
        run: bool,
    },
    Abort {},
}

fn none() -> String {
    "none".to_string()
}

/// Takes turns until there are no more requests. open begins a conversation at a base URL, with a key.
pub fn run<C: Conversation>(open: impl Fn(&str, &str, Setup) -> C) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let taken = runtime.block_on(take_turns(open));
    runtime.shutdown_background(); // which may wait for a line that nobody writes
    taken
}

async fn take_turns<C: Conversation>(open: impl Fn(&str, &str, Setup) -> C) -> io::Result<()> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut conversation = None;
    while let Some(line) = lines.next_line().await? {
        match serde_json::from_str(&line)? {
            Request::Open { base_url, key, setup } => conversation = Some(open(&base_url, &key, setup)),
            Request::Turn { content, stream, leave, run } => {
                let conversation = conversation.as_mut().ok_or_else(|| io::Error::other("no conversation"))?;
                let verdict = tokio::select! {
                    verdict = judge(conversation, content, stream, leave, run) => verdict,
                    end = aborted(&mut lines) => end?,
                };
                println!("{verdict}");
            }
            Request::Abort {} => {} // the turn has ended
        }
    }
    Ok(())
}

/// Waits for the only request that may come during a turn.
async fn aborted(lines: &mut Lines<BufReader<Stdin>>) -> io::Result<Value> {
    lines.next_line().await?;
    Ok(json!({"error": "aborted"}))
}

/// Takes a turn through the library, and returns what came of it.
async fn judge<C: Conversation>(
    conversation: &mut C,
    content: Vec<Part>,
    stream: bool,
    leave: bool,
    run: bool,
) -> Value {
    let mut answer = Answer::default();
    let taken = if run {
        conversation.run(content, &mut answer.content).await
    } else {
        conversation.turn(content, stream, leave).await.map(|whole| answer = whole)
    };
    match taken {
        Ok(()) => json!({"message": answer, "events": answer.events}),
        Err(Error::Told(failure)) => json!({"failure": failure}),
        Err(Error::Own(error)) => json!({"message": answer, "error": error}),
    }
}
