/**
 * The entry point of the bundle: opens directories of this host, lists extended attributes, and looks users and groups
 * up.
 *
 * Uses {@code io.verbena.dirfd} and its internal packages.
 *
 * Has no thread; any thread may call it, and calls block.
 */
@Export
@Version("1.2.0")
package io.verbena.dirfd.host;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
