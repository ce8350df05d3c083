# Output without end that is no JSON.
. "${0%/*}/lib.sh"
exec yes noise
