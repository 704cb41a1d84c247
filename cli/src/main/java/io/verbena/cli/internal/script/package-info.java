/**
 * Runs scripts of shell commands: the component that runs a script, waits for commands, and suggests names for mistyped
 * ones.
 *
 * <p>Uses {@code io.verbena.cli}. Runs on a thread of the component that runs the script, or of the session.
 */
package io.verbena.cli.internal.script;
