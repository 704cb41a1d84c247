/**
 * The component that programs and Declarative Services see. Its rooms, from low to high: {@code base}, {@code memory},
 * {@code services}, {@code connection}, {@code requester} and {@code responder} side by side, {@code endpoint}.
 *
 * <p>May use all rooms.
 *
 * <p>Services come and go on threads of the framework; everything else is handed to the rooms.
 */
package io.verbena.rpcrdma.dispatcher.internal;
