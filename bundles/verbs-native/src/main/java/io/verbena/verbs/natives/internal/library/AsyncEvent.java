package io.verbena.verbs.natives.internal.library;

/**
 * A copy of an {@code ibv_async_event}.
 *
 * @param type {@code ibv_event_type}
 * @param name the library's text for it
 * @param element the address of the queue pair or completion queue of the event, or the number of the port
 */
public record AsyncEvent(int type, String name, long element) {}
