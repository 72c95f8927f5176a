# A server that responds to `initialize`, and sends the signal $1 to mcp-test when it receives a `ping`. With a command after the
# signal it is that server, but for the pings.
signal=$1
shift
mcp_test=$PPID
# On Linux its parent is a guardian, whose parent is mcp-test.
if tr '\0' ' ' 2> /dev/null < "/proc/$PPID/cmdline" | grep -q mcp-test-guardian; then
    read -r _ _ _ mcp_test _ < "/proc/$PPID/stat"
fi

# Prints what is received, but for pings.
without_pings() {
    while read -r line; do
        case $line in
            *'"ping"'*) kill -s "$signal" "$mcp_test" ;;
            *) printf '%s\n' "$line" ;;
        esac
    done
}

respond_to_initialize() {
    while read -r line; do
        id=${line#*'"id":'}
        id=${id%%,*}
        case $line in
            *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"signals","version":"1"}}}' ;;
        esac
    done
}

case $# in
    0) without_pings | respond_to_initialize ;;
    *) without_pings | "$@" ;;
esac
