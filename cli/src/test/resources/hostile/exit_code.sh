# Says succeeded and exits as if it had failed.
. "${0%/*}/lib.sh"
record a; state 1; done_with succeeded 1; until_closed
exit 7
