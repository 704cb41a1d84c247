if ! getent group verbena >/dev/null; then
    groupadd --system verbena
fi
if ! getent passwd verbena >/dev/null; then
    useradd --system --gid verbena --home-dir /var/lib/verbena --no-create-home --shell /usr/sbin/nologin verbena
fi
install -d -o verbena -g verbena -m 0700 /var/lib/verbena
# A quick start: classes as this host's JVM wants them, and an installed container. It takes some seconds; without it,
# Verbena works as well and starts later.
/usr/lib/verbena/jre/bin/java -XX:-UsePerfData -Xshare:dump >/dev/null 2>&1 || true
# Its client's state is not that of who installs.
clients=$(mktemp -d)
XDG_STATE_HOME=$clients timeout 300 /usr/lib/verbena/bin/verbena --prepare-start </dev/null >/dev/null 2>&1 || true
rm -rf "$clients"
