# Kills what a dead controller leaves behind. Run as: sh -c SCRIPT runlane-guard MARK
#
# The controller writes "+ GROUP" before a group's program begins, "- GROUP" when nothing of the group is left,
# and "bye" before it goes in good order. When its end of the pipe closes without "bye", it is dead.

mark=$1
groups=' '
while read -r verb group; do
  case $verb in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%% $group *} ${groups#* $group }" ;; esac ;;
    bye) exit 0 ;;
  esac
done

# Those that left their group carry the mark in the environment they were started with. The long form of kill,
# because dash takes "kill -KILL -- -1234" for something else and signals nobody.
signal() {
  for group in $groups; do
    kill -s "$1" -- "-$group" 2>/dev/null
  done
  for file in $(grep -lasF -e "$mark" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    kill -s "$1" -- "${pid%/environ}" 2>/dev/null
  done
}

signal TERM
sleep 0.25
signal KILL
sleep 0.05
signal KILL # what was started between the looking and the killing
exit 0
