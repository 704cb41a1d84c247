/**
 * The examination of this host, this container and the way to a server: what is wrong, and what to do.
 *
 * Uses the services and the commands' addresses of the package above, and contracts of bundles.
 *
 * A thread of its own runs each check, within a bound; the thread of the shell waits for it.
 */
package io.verbena.cli.rdma.internal.doctor;
