package io.verbena.benchmarks;

import java.time.Duration;

/** Operations of one kind, a number of them in flight. */
class Calls implements Case {
    private final String name;
    private final int outstanding;
    private final Outstanding calls;

    Calls(String name, int outstanding, Outstanding.Operation operation) {
        this.name = name;
        this.outstanding = outstanding;
        this.calls = new Outstanding(operation);
    }

    @Override
    public String name() {
        return name + " x" + outstanding;
    }

    @Override
    public double run(Duration time) {
        return calls.run(outstanding, time);
    }
}
