/**
 * The MBeans of mounts, connections and memory, which are registered while their objects exist.
 *
 * <p>Uses the exported packages of {@code nfs}, {@code rpcrdma}, {@code memory} and {@code metrics}, and no
 * implementation.
 *
 * <p>Threads of the transport and of OSGi add and remove beans. Threads of the MBean server read them.
 */
package io.verbena.management.internal;
