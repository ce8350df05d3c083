# Says nothing for ever, deaf to SIGTERM.
trap '' TERM
. "${0%/*}/lib.sh"
while :; do sleep 1; done
