//! JSON as documents of the AWS SDK, and back.

use aws_smithy_types::{Document, Number};
use serde_json::Value;

pub fn from_json(value: Value) -> Document {
    match value {
        Value::Null => Document::Null,
        Value::Bool(b) => Document::Bool(b),
        Value::String(s) => Document::String(s),
        Value::Array(items) => Document::Array(items.into_iter().map(from_json).collect()),
        Value::Object(members) => {
            Document::Object(members.into_iter().map(|(name, member)| (name, from_json(member))).collect())
        }
        Value::Number(n) => Document::Number(match (n.as_u64(), n.as_i64()) {
            (Some(n), _) => Number::PosInt(n),
            (_, Some(n)) => Number::NegInt(n),
            _ => Number::Float(n.as_f64().unwrap_or(f64::NAN)),
        }),
    }
}

pub fn to_json(document: &Document) -> Value {
    match document {
        Document::Null => Value::Null,
        Document::Bool(b) => (*b).into(),
        Document::String(s) => s.as_str().into(),
        Document::Array(items) => items.iter().map(to_json).collect(),
        Document::Object(members) => members.iter().map(|(name, member)| (name.clone(), to_json(member))).collect(),
        Document::Number(Number::PosInt(n)) => (*n).into(),
        Document::Number(Number::NegInt(n)) => (*n).into(),
        Document::Number(Number::Float(n)) => (*n).into(),
    }
}
