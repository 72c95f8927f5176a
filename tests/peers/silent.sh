# A server that reads everything and never answers.
while read -r _; do :; done
