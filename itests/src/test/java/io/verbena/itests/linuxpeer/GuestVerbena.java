package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;

/**
 * The distribution in a guest, as a user runs it there: one that runs for all tests, since it takes some 20 s to start
 * under emulation, and does what each of them wants done in turn.
 */
final class GuestVerbena implements AutoCloseable {
    private static final String PLACE = "/run/verbena";
    private static final Duration LIMIT = Duration.ofMinutes(9);
    private static final Duration END = Duration.ofMinutes(1);

    /** Where it runs, with all files of the orders to it. */
    private static final String RUN = "/tmp/verbena";

    private static final String OUTPUT = RUN + "/output";
    private static final String STATUS = RUN + "/status";
    private static final String PROCESS = RUN + "/process";

    /** Pipes: to read the one is to wait for an order, to read the other is to wait until it is done. */
    private static final String ORDERS = RUN + "/orders";

    private static final String ENDS = RUN + "/ends";

    private static final String ORDER = RUN + "/order";
    private static final String OPEN = RUN + "/open";

    /** Does orders until the file {@link #OPEN} is gone. */
    private static final String LOOP =
            """
            while { (new java.io.File %1$s) exists } {
                shell:exec cp %2$s %3$s
                try {
                    shell:source %3$s
                    shell:exec cp %5$s/done %4$s
                } {
                    echo FAILED ($exception message)
                    shell:exec cp %5$s/failed %4$s
                }
            }
            """
                    .formatted(OPEN, ORDERS, ORDER, ENDS, RUN);

    private final LinuxGuest guest;

    /** That an order was given whose end was not waited for. */
    private boolean busy;

    private boolean abandoned;

    /** Starts it, and does not wait for it. */
    GuestVerbena(LinuxGuest guest) throws IOException, InterruptedException {
        this.guest = guest;
        copy();
        guest.run("rm -rf " + RUN + "; mkdir " + RUN + "; cd " + RUN
                + "; mkfifo " + ORDERS + " " + ENDS + "; touch " + OPEN
                + "; echo done > done; echo failed > failed; echo ended > ended"
                + "; cat > script <<'SCRIPT'\n" + LOOP + "SCRIPT\n"
                + "{ VERBENA_OPTS='" + GuestJvm.OPTIONS + "' " + PLACE + "/verbena script"
                + "; echo $? > " + STATUS + "; timeout " + LIMIT.toSeconds() + " cp ended " + ENDS + "; } >> " + OUTPUT
                + " 2>&1 < /dev/null & echo $! > " + PROCESS);
    }

    /** It starts faster from memory than from the shared folder. */
    private void copy() throws IOException, InterruptedException {
        String project = LinuxGuest.PROJECT;
        guest.run("mkdir -p " + PLACE + "/karaf-distro/target && cd " + PLACE + " && cp " + project
                + "/verbena . && cp -r " + project + "/karaf-distro/target/assembly karaf-distro/target");
    }

    /** Runs commands of the shell and returns what they printed; one that fails fails the test. */
    String run(String... commands) throws IOException, InterruptedException {
        order(commands);
        return await();
    }

    /** Has it run commands of the shell, and does not wait for their end. */
    void order(String... commands) throws IOException, InterruptedException {
        if (busy) {
            abandon();
        }
        guest.run(
                "if test -e " + STATUS + "; then cat " + STATUS + " " + OUTPUT + "; exit 1; fi; : > " + OUTPUT
                        + "; timeout " + LIMIT.toSeconds() + " tee " + ORDERS + " > /dev/null <<'ORDER'\n"
                        + String.join("\n", commands) + "\nORDER",
                LIMIT.plus(END));
        busy = true;
    }

    /** Ends it: a test has failed before its order was done, which may never be, and no other order is taken. */
    private void abandon() throws IOException, InterruptedException {
        guest.run("echo abandoned while it did what a failed test had ordered > " + STATUS + "; pkill -TERM -P $(cat "
                + PROCESS + ")");
        busy = false;
        abandoned = true;
    }

    /** Waits until the commands ordered have printed that. */
    void awaitOutput(String text) throws IOException, InterruptedException {
        guest.run("until grep -q '" + text + "' " + OUTPUT + " || test -e " + STATUS + "; do sleep 0.5; done");
    }

    /** Waits for the end of the commands ordered and returns what they printed; one that failed fails the test. */
    String await() throws IOException, InterruptedException {
        String end = awaitEnd();
        String output = output();
        assertThat(end).as("in the guest: %s", output).isEqualTo("done\n");
        return output;
    }

    private String awaitEnd() throws IOException, InterruptedException {
        String end = guest.run("timeout " + LIMIT.toSeconds() + " cat " + ENDS, LIMIT.plus(END));
        busy = false;
        return end;
    }

    private String output() throws IOException, InterruptedException {
        return guest.run("cat " + OUTPUT);
    }

    /** Lets it end in order, and wants it to end well. */
    @Override
    public void close() throws IOException {
        try {
            if (busy) {
                abandon();
            }
            if (abandoned) {
                return;
            }
            guest.run("rm " + OPEN);
            order("echo end");
            assertThat(awaitEnd()).isEqualTo("done\n");
            assertThat(awaitEnd()).isEqualTo("ended\n");
            assertThat(guest.run("cat " + STATUS)).as(output()).isEqualTo("0\n");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
