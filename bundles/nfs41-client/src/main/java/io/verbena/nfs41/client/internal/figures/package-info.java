/**
 * What is measured and reported of a mount: meters, timelines of requests, waits, and replaced bundles.
 * Uses no other room.
 * Runs on any thread; does not wait.
 */
package io.verbena.nfs41.client.internal.figures;
