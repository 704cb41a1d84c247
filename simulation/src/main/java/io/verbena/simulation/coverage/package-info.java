/**
 * Counts the states and transitions that worlds pass through. The classes of the bundles are rewritten as they are
 * loaded, so that the bundles know nothing of it. Any thread.
 */
package io.verbena.simulation.coverage;
