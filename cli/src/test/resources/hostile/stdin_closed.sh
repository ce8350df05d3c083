# Closes its input, then asks.
. "${0%/*}/lib.sh"
exec <&-
printf '{"type":"INTERACTION","request_id":"q1","kind":"otp","message":"Code?"}\n'
while :; do sleep 1; done
