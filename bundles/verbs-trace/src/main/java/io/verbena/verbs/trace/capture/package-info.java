/**
 * Captures of network traffic: reads pcap and pcapng files down to the messages of iWARP connections, and writes such
 * connections as pcapng.
 */
@Export
@Version("1.0.0")
package io.verbena.verbs.trace.capture;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
