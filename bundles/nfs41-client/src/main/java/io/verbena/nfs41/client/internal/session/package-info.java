/**
 * Sessions (RFC 8881 section 2.10): client ids, slots, requests sent exactly once, binding, leases, recovery.
 * Uses util, compound, figures, link and callback.
 * Requests go on by the thread that ended their last step; what blocks runs on the mount's worker threads.
 */
package io.verbena.nfs41.client.internal.session;
