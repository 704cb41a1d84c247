/** The API for users of Verbena: mounts, remote files, attributes, errors, and exports of this host. */
@Export
@Version("1.19.0")
package io.verbena.nfs;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
