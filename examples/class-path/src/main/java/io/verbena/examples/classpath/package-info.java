/**
 * A program on a plain class path that copies a tree of an NFS server.
 *
 * <p>Uses only java.nio. {@code verbena-standalone} is on the class path.
 *
 * <p>Runs on the main thread.
 */
package io.verbena.examples.classpath;
