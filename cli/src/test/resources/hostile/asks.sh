# Asks for a code, repeats it where it should not, and gives up when there is none.
. "${0%/*}/lib.sh"
printf '{"type":"INTERACTION","request_id":"q1","kind":"otp","message":"Code?"}\n'
read -r answer
case $answer in
  *'"status":"success"'*)
    code=${answer##*'"code":"'}
    printf '{"type":"PROGRESS","message":"the code was %s"}\n' "${code%%'"'*}"
    record a; done_with succeeded 1; until_closed ;;
  *) done_with cancelled 0; until_closed; exit 1 ;;
esac
