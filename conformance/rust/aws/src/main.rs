//! Holds conversations through the AWS SDK for Rust: see program.go. The argument names one of the APIs of Bedrock.

mod converse;
mod document;
mod errors;
mod invoke;
mod words;

use aws_sdk_bedrockruntime::config::retry::RetryConfig;
use aws_sdk_bedrockruntime::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_bedrockruntime::{Client, Config};

fn main() -> std::io::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("converse") => program::run(converse::Conversation::open),
        Some("invoke") => program::run(invoke::Conversation::open),
        other => Err(std::io::Error::other(format!("no such API: {other:?}"))),
    }
}

/// A client. With the argument retries, it asks as often as it does by default.
fn dial(base_url: &str, key: &str) -> Client {
    let retries = std::env::args().any(|arg| arg == "retries");
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(base_url)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new(key, "secret", None, None, "given"))
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .retry_config(if retries { RetryConfig::standard() } else { RetryConfig::disabled() })
        .build();
    Client::from_conf(config)
}
