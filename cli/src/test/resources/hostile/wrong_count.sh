# Claims more records than it sent.
. "${0%/*}/lib.sh"
record a; state 1; done_with succeeded 3; until_closed
