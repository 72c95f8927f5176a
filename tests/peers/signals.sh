# A server that responds to `initialize`, and sends the signal $1 to its parent process when it receives a `ping`.
while read -r line; do
    id=${line#*'"id":'}
    id=${id%%,*}
    case $line in
        *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"signals","version":"1"}}}' ;;
        *'"ping"'*) kill -s "$1" "$PPID" ;;
    esac
done
