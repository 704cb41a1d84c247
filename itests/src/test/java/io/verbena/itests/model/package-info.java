/**
 * A random workload through every public door of two mounts of one export, checked step by step against a model in
 * memory: see {@link io.verbena.itests.model.Driver} for what the model promises. Everything here runs on the thread of
 * the test; a seed gives the plan of a run.
 */
package io.verbena.itests.model;
