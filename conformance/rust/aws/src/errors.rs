//! What the library says of failures.

use aws_sdk_bedrockruntime::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_bedrockruntime::operation::RequestId;
use program::{Error, Failure};
use serde_json::json;

/// What is said of a request that was refused.
pub fn refused<E>(e: SdkError<E>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    SdkError<E>: RequestId,
{
    let status = e.raw_response().map_or(0, |response| response.status().as_u16());
    match e.as_service_error() {
        Some(told) => failure(status, told.code(), told.message(), e.request_id()),
        None => Error::Own(DisplayErrorContext(e).to_string()),
    }
}

/// What is said of an exception within a stream. It has neither a code nor a status: its text begins with its name, and
/// its request is known by the answer that it breaks off.
pub fn broken_off<E, R>(e: SdkError<E, R>, request_id: &str) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
    R: std::fmt::Debug,
{
    match e.as_service_error() {
        Some(told) => failure(0, told.to_string().split(':').next(), told.message(), Some(request_id)),
        None => Error::Own(DisplayErrorContext(e).to_string()),
    }
}

fn failure(status: u16, name: Option<&str>, message: Option<&str>, request_id: Option<&str>) -> Error {
    let body = json!({"__type": name, "message": message});
    Error::Told(Failure { status, body, request_id: request_id.unwrap_or_default().to_string() })
}
