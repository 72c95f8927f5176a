# A server that responds to `initialize`, and sends the signal $1 to mcp-test when it receives a `ping`. With a method and a command
# after the signal it is that server, and sends the signal when it receives that method.
signal=$1
method=${2:-ping}
mcp_test=$PPID
# On Linux its parent is a guardian, whose parent is mcp-test.
if tr '\0' ' ' 2> /dev/null < "/proc/$PPID/cmdline" | grep -q mcp-test-guardian; then
    read -r _ _ _ mcp_test _ < "/proc/$PPID/stat"
fi

# Prints what is received, but for that method.
without_method() {
    while read -r line; do
        case $line in
            *"\"$method\""*) kill -s "$signal" "$mcp_test" ;;
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
    1) without_method | respond_to_initialize ;;
    *) shift 2; without_method | "$@" ;;
esac
