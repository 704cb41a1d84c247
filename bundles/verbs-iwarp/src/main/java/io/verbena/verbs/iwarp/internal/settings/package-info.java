/**
 * The configuration of the provider, and the options of one connection or listener.
 * Uses wire.
 * Immutable values: any thread.
 */
package io.verbena.verbs.iwarp.internal.settings;
