/**
 * The life of one mount: its receiving thread, the requests under way, interrupts and the end. Uses all other rooms.
 * Its own receiving thread and the threads of requests run it.
 */
package io.verbena.fuse.internal.session;
