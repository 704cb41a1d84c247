/**
 * File names: octets that Strings hold without loss, and the form in which people see them.
 *
 * Uses no other package of Verbena.
 *
 * Stateless; any thread may call it.
 */
@Export
@Version("1.3.0")
package io.verbena.text;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
