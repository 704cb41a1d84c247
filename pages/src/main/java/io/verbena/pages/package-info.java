/**
 * Pages and completions made of the commands' annotations: docs/commands.md, man pages, completions of three shells.
 *
 * Uses the annotations of Karaf's shell, and no package of Verbena: the commands are found on the class path.
 *
 * Programs of the build, each with the main thread only.
 */
package io.verbena.pages;
