# A server that reads all messages and never responds.
while read -r _; do :; done
