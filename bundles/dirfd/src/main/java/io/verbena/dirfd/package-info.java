/**
 * Files by directory descriptor: every object is reached from an open directory by one name, never by a path. Names are
 * octets, and symbolic links are never followed.
 */
@Export
@Version("1.0.0")
package io.verbena.dirfd;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
