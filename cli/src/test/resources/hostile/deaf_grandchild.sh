# Leaves a grandchild of a session of its own behind, deaf to SIGTERM, with its output open.
. "${0%/*}/lib.sh"
setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &
record a; state 1; done_with succeeded 1; until_closed
