//! Limits the size and nesting of a schema, so that it can be traversed.

use std::io;

use serde_json::Value;

use crate::json::Pointer;
use crate::json_schema::{Bound, CompileError, Limits};

/// Refuses a schema that nests too deep or is too long.
pub(super) fn check(schema: &Value, limits: &Limits) -> Result<(), CompileError> {
    let beyond = |bound| CompileError::LimitExceeded { pointer: Pointer::root(), bound };
    // Without recursion, because the depth is not yet known to be bounded.
    let mut left = vec![(schema, 0)];
    while let Some((value, depth)) = left.pop() {
        if depth > limits.nesting {
            return Err(beyond(Bound::Nesting(limits.nesting)));
        }
        match value {
            Value::Array(items) => left.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => left.extend(members.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    // Only after the nesting is known to be bounded, because the serializer recurses.
    serde_json::to_writer(ByteLimit(limits.bytes), schema)
        .map_err(|_| beyond(Bound::Bytes(limits.bytes)))
}

/// A writer that discards a limited number of bytes, then fails.
struct ByteLimit(usize);

impl io::Write for ByteLimit {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
