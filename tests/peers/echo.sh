# A server that repeats the secrets in its environment in its name, on stderr, and in the result of `ping`, which is invalid so
# that it is reported.
while read -r line; do
    id=${line#*'"id":'}
    id=${id%%,*}
    case $line in
        *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"echo '"$PLAIN_TOKEN"'","version":"1"}}}' ;;
        *'"ping"'*)
            echo "on stderr: $QUOTED_TOKEN" >&2
            echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"some words before it, so that it is wrapped":"and some more of them '"$WRAPPED_TOKEN"'","quoted":"say \"q\\t\"","plain":"'"$PLAIN_TOKEN"'","ok":true}}'
            ;;
    esac
done
