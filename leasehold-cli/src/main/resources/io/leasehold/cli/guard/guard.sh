# The guard of one command: sees to it that the command does not outlive its lease, whatever becomes
# of leasehold itself. Run as `setsid sh guard.sh DIR GRACE`, in a session of its own, so that a
# signal to leasehold's group does not reach it. POSIX shell, sleep and rm; needs Linux's /proc.
#
# It reads lines from leasehold:
#   until N   the command must be gone when /proc/uptime shows N hundredths of a second
#   done      the command is gone; nothing remains to be guarded
# The end of the input means that leasehold is dead: then the command is told (TERM) and, after GRACE
# hundredths of a second or at the deadline, killed.
#
# /proc/uptime is one clock for both sides, so a line that is read late is not a deadline that moves;
# it goes on while the machine is suspended.
dir=$1
grace=$2
trap '' HUP INT QUIT TERM
cd /

# Sets now, in hundredths of a second.
look() {
  read -r up idle </proc/uptime
  now=$((${up%.*} * 100 + 1${up#*.} - 100))
}

# Closes the run, then finds out whom it concerns; see start.sh for why in this order.
close_run() {
  : >"$dir/closed"
  sid=
  read -r sid <"$dir/session"
}

# Sets alive: every process of the session that is not dead, whatever group it made for itself.
members() {
  alive=
  for stat in /proc/[0-9]*/stat; do
    line=
    { read -r line <"$stat"; } 2>/dev/null
    pid=${line%% *}
    # After the command's name, which may contain anything: state, parent, group, session.
    set -- ${line##*) }
    if [ "${4:-}" = "$sid" ]; then
      case $1 in
        Z | X) ;;
        *) alive="$alive $pid" ;;
      esac
    fi
  done
}

# Sends a signal to the session.
strike() {
  kill -s "$1" -- "-$sid" 2>/dev/null
  members
  [ -z "$alive" ] || kill -s "$1" $alive 2>/dev/null
}

kill_all() {
  close_run
  [ -n "$sid" ] || return 0
  strike KILL
  while [ -n "$alive" ]; do
    sleep 0.02
    strike KILL
  done
}

# Waits for a deadline, a second at most at a time: sleep stands still while the machine does.
watch() {
  while look; left=$(($1 - now)); [ "$left" -gt 0 ]; do
    if [ "$left" -ge 100 ]; then
      sleep 1
    elif [ "$left" -ge 10 ]; then
      sleep "0.$left"
    else
      sleep "0.0$left"
    fi
  done
  kill_all
}

watcher=
while read -r word value; do
  case $word in
    until)
      watch "$value" </dev/null &
      next=$!
      if [ -n "$watcher" ]; then
        kill -s KILL "$watcher"
        wait "$watcher"
      fi
      watcher=$next
      ;;
    done)
      # With the watcher and the sleeps it left; leasehold waits for this shell's end, however it ends.
      kill -s KILL -- "-$$"
      ;;
  esac
done

close_run
if [ -n "$sid" ]; then
  strike TERM
  strike CONT
  look
  end=$((now + grace))
  while members; [ -n "$alive" ] && [ "$now" -lt "$end" ]; do
    sleep 0.05
    look
  done
  kill_all
fi
rm -f "$dir/session" "$dir/closed" "$dir/deadline" "$dir/deadline.new" "$dir/guard.sh" "$dir/start.sh"
rmdir "$dir"
kill -s KILL -- "-$$"
