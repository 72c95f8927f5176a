# A server that responds to `initialize`, and sends the signal $1 to mcp-test when it receives a `ping`.
mcp_test=$PPID
# On Linux its parent is a guardian, whose parent is mcp-test.
if tr '\0' ' ' 2> /dev/null < "/proc/$PPID/cmdline" | grep -q mcp-test-guardian; then
    read -r _ _ _ mcp_test _ < "/proc/$PPID/stat"
fi
while read -r line; do
    id=${line#*'"id":'}
    id=${id%%,*}
    case $line in
        *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"signals","version":"1"}}}' ;;
        *'"ping"'*) kill -s "$1" "$mcp_test" ;;
    esac
done
