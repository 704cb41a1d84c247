/**
 * Commands that list directories, search trees and add up sizes.
 *
 * <p>Uses {@code internal.nfs.command}. Runs on the thread of the session that runs the command.
 */
package io.verbena.cli.internal.nfs.listing;
