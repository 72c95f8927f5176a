# As signals.sh, but it does not leave when it is asked to, and neither do its relatives; one has a session of its own.
trap '' TERM INT HUP
sleep 3600 &
setsid sleep 3600 &
. "${0%/*}/signals.sh"
sleep 3600
