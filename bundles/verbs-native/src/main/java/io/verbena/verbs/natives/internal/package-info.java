/**
 * The provider for the RDMA devices of this host. This package holds the log; its packages hold the rest, from low to
 * high: struct, library, settings, device, memory, queue, connection, provider. A package uses those before it only.
 */
package io.verbena.verbs.natives.internal;
