/** What JMX shows of mounts and connections: the interfaces of their MBeans, for those who make proxies of them. */
@Export
@Version("1.0.0")
package io.verbena.management;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
