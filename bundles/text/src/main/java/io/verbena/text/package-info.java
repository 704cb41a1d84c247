/** Names of files: octets that Strings hold without a loss, and the form in which people see them. */
@Export
@Version("1.0.0")
package io.verbena.text;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
