/**
 * The provider as an OSGi service, its listeners, and the connection requests that are pending.
 * Uses all others.
 * A thread for each listener, and one for each pending request.
 */
package io.verbena.verbs.iwarp.internal.provider;
