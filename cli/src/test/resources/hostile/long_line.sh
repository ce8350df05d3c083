# A line of 100 MB, after a good record.
. "${0%/*}/lib.sh"
record a
printf '{"type":"PROGRESS","message":"'
head -c 104857600 /dev/zero | tr '\0' x
printf '"}\n'
done_with succeeded 1; until_closed
