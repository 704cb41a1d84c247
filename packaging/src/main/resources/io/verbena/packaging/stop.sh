if [ -d /run/systemd/system ]; then
    systemctl stop 'verbena@*.timer' 'verbena@*.service' || true
fi
