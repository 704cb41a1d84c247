/**
 * The provider as an OSGi service, its listeners, and the connection requests that are pending.
 * Uses all others.
 * A thread for each pending request; events of listeners come on the provider's thread for events.
 */
package io.verbena.verbs.natives.internal.provider;
