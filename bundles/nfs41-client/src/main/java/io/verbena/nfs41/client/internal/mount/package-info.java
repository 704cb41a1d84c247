/**
 * The mount itself and its doors: services, configuration, hand-over to a successor, reports.
 * Uses all rooms; no room uses it.
 * User calls run on the caller's thread, Declarative Services on its own; the assembly owns the worker threads.
 */
package io.verbena.nfs41.client.internal.mount;
