# the user stays: files elsewhere may be its own
rm -rf /var/lib/verbena /etc/verbena
rm -rf /etc/systemd/system/verbena@*.d /etc/systemd/system/*.wants/verbena@*
