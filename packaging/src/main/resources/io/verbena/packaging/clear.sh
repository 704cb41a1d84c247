# what the installation has made beside the files of the package
rm -rf /usr/lib/verbena/prepared
rm -f /usr/lib/verbena/jre/lib/server/*.jsa
