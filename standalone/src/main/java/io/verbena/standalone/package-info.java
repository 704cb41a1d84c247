/**
 * Client, transport and providers on a plain class path, combined as Declarative Services combine them in OSGi.
 *
 * <p>May use internal packages of the bundles. No other module may use them.
 *
 * <p>Has no thread of its own. Any thread may create and close mounts.
 */
package io.verbena.standalone;
