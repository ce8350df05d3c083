# Records without end.
. "${0%/*}/lib.sh"
exec yes "$(record a)"
