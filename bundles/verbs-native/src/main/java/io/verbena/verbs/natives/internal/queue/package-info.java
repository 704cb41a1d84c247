/**
 * The queue pair of a connection: posts to the device, completions from it, and what observers see of both.
 * Uses memory, device, library.
 * Any thread posts and polls; the receive thread delivers completions to the handler.
 */
package io.verbena.verbs.natives.internal.queue;
