package io.verbena.verbs.natives.internal;

/**
 * A copy of an {@code ibv_async_event}.
 *
 * @param type {@code ibv_event_type}
 * @param name the library's text for it
 * @param element the address of the queue pair or completion queue that it is of, or the port's number
 */
record AsyncEvent(int type, String name, long element) {}
