/**
 * The devices of this host: attributes, addresses, quirks, and which kind of registration each one takes.
 * Uses library and settings.
 * Any thread.
 */
package io.verbena.verbs.natives.internal.device;
