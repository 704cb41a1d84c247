/**
 * The connection of a mount: made, left and made again by whatever transport there is; whether the server answers.
 * Uses util and figures.
 * Connects and closes on the mount's worker threads; hears of replies and losses on the receive thread.
 */
package io.verbena.nfs41.client.internal.link;
