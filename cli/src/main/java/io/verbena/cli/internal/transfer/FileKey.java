package io.verbena.cli.internal.transfer;

/**
 * Which file a name is of, where a file may have several: two names of one key are hard links.
 *
 * @param place the host or server
 * @param major with the two that follow, what tells it from all other files there
 */
record FileKey(String place, long major, long minor, long fileId) {}
