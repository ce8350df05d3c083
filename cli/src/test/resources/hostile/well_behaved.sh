# Two records, a cursor, and an orderly end.
. "${0%/*}/lib.sh"
record a; record b; state 2; done_with succeeded 2; until_closed
