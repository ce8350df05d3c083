# Says one more thing after DONE, when its input has been closed already.
. "${0%/*}/lib.sh"
record a; state 1; done_with succeeded 1; until_closed; record b
