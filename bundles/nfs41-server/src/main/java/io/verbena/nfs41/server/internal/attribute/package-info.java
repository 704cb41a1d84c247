/**
 * Attributes of local objects as stat(2) tells them, who asks for them, and how they are set.
 * Uses {@code util}; {@code ops} translates from and to {@code fattr4} (RFC 8881 section 5).
 * The thread of the request or a worker of the export; may wait for the disk.
 */
package io.verbena.nfs41.server.internal.attribute;
