# What `.ci/run` and `.ci/extended` share: the cache, the official schemas, and how a step is run. Sourced in the root of the tree.

export CI=true
cache=${MCP_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/mcp-test}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# What only helps the next build of the same step costs time here, and disk space above all: a linker that runs out of it fails
# with "Bus error".
export CARGO_INCREMENTAL=0
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}

# The tests that compare with the official schemas need these.
schemas=${MCP_TEST_OFFICIAL_SCHEMAS:-$PWD/../shared/spec}
if ! [ -d "$schemas" ]; then
    echo "the official schemas are missing: $schemas is not a folder" >&2
    exit 1
fi
MCP_TEST_OFFICIAL_SCHEMAS=$(cd "$schemas" && pwd)
export MCP_TEST_OFFICIAL_SCHEMAS
export MCP_TEST_PEERS="$cache/peers"
export PATH="$cache/tools/bin:$PATH"

# Lints the library with each of these combinations of features, without the others.
lint_features() {
    local features
    for features; do
        cargo clippy --quiet --locked -p mcp-test --no-default-features --features "$features" -- -D warnings || {
            echo "with the features: ${features:-none}" >&2
            return 1
        }
    done
}

# Runs one step, and exits if it fails. Bash ignores `set -e` in a function that is called before `||`, so the functions of steps
# return explicitly.
step() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name"
    "$@" || {
        local code=$?
        echo "== $name FAILED after $((SECONDS - start)) s (exit code $code): $*" >&2
        exit "$code"
    }
    echo "== $name: $((SECONDS - start)) s"
}
