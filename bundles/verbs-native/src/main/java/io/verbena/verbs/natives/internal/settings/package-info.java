/**
 * The configuration of the provider, and the options of one connection or listener.
 * Uses the contracts only.
 * Immutable values: any thread.
 */
package io.verbena.verbs.natives.internal.settings;
