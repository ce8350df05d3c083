# Fails, and shows its secret on standard error and in its messages.
. "${0%/*}/lib.sh"
echo "login failed for token=$HOSTILE_TOKEN" >&2
echo "Authorization: Bearer $HOSTILE_TOKEN" >&2
printf '{"type":"PROGRESS","message":"trying %s"}\n' "$HOSTILE_TOKEN"
exit 1
