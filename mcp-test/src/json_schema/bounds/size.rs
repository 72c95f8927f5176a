//! Whether a schema is small and flat enough to be walked.

use std::io;

use serde_json::Value;

use crate::json::Pointer;
use crate::json_schema::{Bound, CompileError, Limits};

/// Refuses what nests too deep or is too long.
pub(super) fn check(schema: &Value, limits: &Limits) -> Result<(), CompileError> {
    let beyond = |bound| CompileError::Bounded { pointer: Pointer::root(), bound };
    // Without recursion: nothing is known of the depth yet.
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
    let mut room = Room(limits.bytes);
    serde_json::to_writer(&mut room, schema).map_err(|_| beyond(Bound::Bytes(limits.bytes)))
}

/// Takes so many bytes, and forgets them.
struct Room(usize);

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
