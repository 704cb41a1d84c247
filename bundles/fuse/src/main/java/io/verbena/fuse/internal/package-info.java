/**
 * The service: mounts at directories of this host. Uses all rooms. Any thread calls it.
 */
package io.verbena.fuse.internal;
