# A hundred processes of its own and of other sessions, deaf to SIGTERM, and then a broken rule.
. "${0%/*}/lib.sh"
n=0
while [ $n -lt 50 ]; do
  sh -c 'trap "" TERM; while :; do sleep 1; done' &
  setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &
  n=$((n + 1))
done
echo noise
wait
