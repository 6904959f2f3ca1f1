#!/bin/sh
# Appends a line to a file unless a higher fencing token has done so before.
#   leasehold run --name report -- fenced-append.sh report.log "a line"
# The lock is held only while the token is compared and the line is written.
set -eu
file=$1
line=$2
: "${LEASEHOLD_TOKEN:?no token; run this under leasehold run}"
exec 9>>"$file.fence.lock"
flock 9
fence=$(cat "$file.fence" 2>/dev/null || echo 0)
if [ "$LEASEHOLD_TOKEN" -lt "$fence" ]; then
  echo "fenced out: token $LEASEHOLD_TOKEN, but $fence was admitted since" >&2
  exit 75
fi
printf '%s\n' "$LEASEHOLD_TOKEN" >"$file.fence.new"
mv "$file.fence.new" "$file.fence"
printf '%s\n' "$line" >>"$file"
