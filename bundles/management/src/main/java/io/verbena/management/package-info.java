/**
 * The MBean interfaces of mounts, connections and memory, for programs that create proxies.
 *
 * <p>Uses only JMX, and no other package of Verbena.
 *
 * <p>Has no thread. Threads of the MBean server call the beans.
 */
@Export
@Version("1.1.0")
package io.verbena.management;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
