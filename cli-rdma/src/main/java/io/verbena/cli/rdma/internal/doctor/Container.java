package io.verbena.cli.rdma.internal.doctor;

import java.util.List;
import java.util.function.Consumer;

/** The container that the shell runs in: its bundles and their components. */
interface Container {
    /**
     * A bundle.
     *
     * @param name the symbolic name
     * @param state the state as OSGi names it: {@code RESOLVED}
     * @param isWhole whether it is as it should be: active, or a fragment that is attached
     */
    record BundleState(String name, String state, boolean isWhole) {}

    /**
     * An enabled component that is not satisfied or has failed.
     *
     * @param name the name of the component
     * @param bundle the bundle that has it
     * @param reason what is missing, or the failure
     * @param isFailed whether its activation has failed
     */
    record Unsatisfied(String name, String bundle, String reason, boolean isFailed) {}

    /** Returns all bundles. */
    List<BundleState> bundles();

    /** Returns the components of Verbena that are not satisfied. */
    List<Unsatisfied> unsatisfied();

    /** Tells of bundles and components. */
    default void look(Consumer<Finding> told) {
        List<BundleState> bundles = bundles();
        List<BundleState> bad =
                bundles.stream().filter(bundle -> !bundle.isWhole()).toList();
        bad.forEach(bundle -> told.accept(Finding.problem(
                "bundles",
                bundle.name() + " is " + bundle.state(),
                "bundle:start " + bundle.name() + "; bundle:diag " + bundle.name() + " says what is missing")));
        if (bad.isEmpty()) {
            told.accept(Finding.ok("bundles", "all " + bundles.size() + " are active"));
        }
        List<Unsatisfied> unsatisfied = unsatisfied();
        for (Unsatisfied component : unsatisfied) {
            String text = component.name() + " of " + component.bundle() + ": " + component.reason();
            told.accept(
                    component.isFailed()
                            ? Finding.problem("component", text, "see the log; bundle:restart " + component.bundle())
                            : Finding.warning("component", text, "scr:info " + component.name() + " tells more"));
        }
        if (unsatisfied.isEmpty()) {
            told.accept(Finding.ok("component", "all are satisfied"));
        }
    }
}
