/** XDR (RFC 4506): a bounded reader and a growing writer whose bulk data items may stay in buffers of their own. */
@Export
@Version("1.2.0")
package io.verbena.xdr;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
