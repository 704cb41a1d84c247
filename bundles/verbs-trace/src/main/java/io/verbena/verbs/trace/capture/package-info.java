/**
 * Captures of network traffic: reads pcap and pcapng files down to the messages of iWARP connections, and writes such
 * connections as pcapng.
 *
 * Uses no other package of Verbena.
 *
 * Has no thread; readers and writers are for one thread at a time.
 */
@Export
@Version("1.0.0")
package io.verbena.verbs.trace.capture;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
