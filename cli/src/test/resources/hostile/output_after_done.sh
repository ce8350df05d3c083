# Goes on talking after DONE.
. "${0%/*}/lib.sh"
record a; state 1; done_with succeeded 1; record b; until_closed
