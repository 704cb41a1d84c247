/**
 * Files by directory descriptor: calls reach every object from an open directory by one name, never by a path. Names
 * are octets, and symbolic links are never followed.
 *
 * Contracts only; uses no other package of Verbena.
 *
 * Any thread may call it; calls block.
 */
@Export
@Version("1.3.0")
package io.verbena.dirfd;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
