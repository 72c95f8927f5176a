# Like signals.sh, but it ignores termination signals, and so do its two children; one of them has its own session.
trap '' TERM INT HUP
sleep 3600 &
setsid sleep 3600 &
. "${0%/*}/signals.sh"
sleep 3600
