# Asks although nobody can answer.
. "${0%/*}/lib.sh"
printf '{"type":"INTERACTION","request_id":"q1","kind":"otp","message":"Code?"}\n'
until_closed
