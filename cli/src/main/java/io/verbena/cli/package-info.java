/**
 * A base for bundles of shell commands: commands and completers to extend, failures in one line, text that is safe to
 * print and looks the same everywhere.
 */
@Export(substitution = Export.Substitution.NOIMPORT) // it has code, which is this build's
@Version("1.3.0")
package io.verbena.cli;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
