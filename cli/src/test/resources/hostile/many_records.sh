# Many records: as many as the first argument says.
. "${0%/*}/lib.sh"
yes "$(record a)" | head -n "$1"
state 1; done_with succeeded "$1"; until_closed
