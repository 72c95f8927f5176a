# A server that answers every request under an id that nobody asked with.
while read -r line; do
    case $line in
    *'"id"'*) echo '{"jsonrpc":"2.0","id":4711,"result":{}}' ;;
    esac
done
