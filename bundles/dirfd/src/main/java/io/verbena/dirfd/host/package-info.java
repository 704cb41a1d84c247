/** The way in: opens directories of this host, and lists attributes, by what it offers. */
@Export
@Version("1.1.0")
package io.verbena.dirfd.host;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
