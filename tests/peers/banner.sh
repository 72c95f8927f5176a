# A server that prints a banner to stdout before the first message: banner.sh COMMAND [ARGUMENT ...] runs COMMAND as the server.
echo "Calculator 1.0 is listening on stdio"
exec "$@"
