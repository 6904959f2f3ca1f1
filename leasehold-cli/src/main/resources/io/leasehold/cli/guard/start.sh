# Becomes the command: run as `setsid sh start.sh DIR COMMAND [ARGUMENT…]`, so that $$ is the number
# of the command's process, of its group and of its session.
#
# It tells the guard that number first, and only then looks whether the guard has closed the run.
# The guard closes first and reads the number then. So either the guard knows whom to kill, or the
# command never starts.
dir=$1
shift
echo $$ >"$dir/session" || exit 76
[ -e "$dir/closed" ] && exit 76
exec "$@"
