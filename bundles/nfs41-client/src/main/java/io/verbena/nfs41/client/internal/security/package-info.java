/**
 * How a mount proves who calls, and what is protected: the security flavors of its calls.
 *
 * Uses the mount's settings and nothing else of the client. Connections and requests use it.
 */
package io.verbena.nfs41.client.internal.security;
