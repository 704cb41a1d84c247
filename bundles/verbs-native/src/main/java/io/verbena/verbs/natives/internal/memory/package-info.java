/**
 * Registered memory of a connection: regions, type-2 memory windows, invalidation.
 * Uses device and library; binds windows through RegistrationQueue, which the send queue implements.
 * Any thread.
 */
package io.verbena.verbs.natives.internal.memory;
