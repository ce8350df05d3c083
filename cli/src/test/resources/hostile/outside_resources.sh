# Sends a record that is not among the resources asked for.
. "${0%/*}/lib.sh"
record a; record forbidden; done_with succeeded 2; until_closed
