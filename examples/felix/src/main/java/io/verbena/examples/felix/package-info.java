/**
 * A component on plain Felix that writes a file to an NFS server.
 *
 * <p>Uses only OSGi and java.nio.
 *
 * <p>A thread of Declarative Services activates the component.
 */
package io.verbena.examples.felix;
