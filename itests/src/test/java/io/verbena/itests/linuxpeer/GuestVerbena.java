package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;

/**
 * The distribution in a guest, run like a user does. One instance executes the commands of all tests in turn, since a
 * start takes some 20 s under emulation.
 */
final class GuestVerbena implements AutoCloseable {
    private static final String PLACE = "/run/verbena";
    private static final Duration LIMIT = Duration.ofMinutes(9);
    private static final Duration END = Duration.ofMinutes(1);

    /** The folder of the instance and of its commands. */
    private static final String RUN = "/tmp/verbena";

    private static final String OUTPUT = RUN + "/output";
    private static final String STATUS = RUN + "/status";
    private static final String PROCESS = RUN + "/process";

    /**
     * Pipes: the instance waits for commands by reading the first one, and tests wait for their end by reading the
     * second one.
     */
    private static final String ORDERS = RUN + "/orders";

    private static final String ENDS = RUN + "/ends";

    private static final String ORDER = RUN + "/order";
    private static final String OPEN = RUN + "/open";

    /** Executes commands until the file {@link #OPEN} is removed. */
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

    /** Whether there are commands whose end no test has awaited. */
    private boolean busy;

    private boolean abandoned;

    /** Starts the distribution without waiting for it. */
    GuestVerbena(LinuxGuest guest) throws IOException, InterruptedException {
        this.guest = guest;
        place(guest);
        guest.run("rm -rf " + RUN + "; mkdir " + RUN + "; cd " + RUN
                + "; mkfifo " + ORDERS + " " + ENDS + "; touch " + OPEN
                + "; echo done > done; echo failed > failed; echo ended > ended"
                + "; cat > script <<'SCRIPT'\n" + LOOP + "SCRIPT\n"
                + "{ VERBENA_OPTS='" + GuestJvm.OPTIONS + "' " + PLACE + "/verbena script"
                + "; echo $? > " + STATUS + "; timeout " + LIMIT.toSeconds() + " cp ended " + ENDS + "; } >> " + OUTPUT
                + " 2>&1 < /dev/null & echo $! > " + PROCESS);
    }

    /**
     * Copies the distribution to the guest's memory, from where it starts faster than from the shared folder, unless it
     * is there.
     *
     * @return the launcher
     */
    static String place(LinuxGuest guest) throws IOException, InterruptedException {
        String project = LinuxGuest.PROJECT;
        String launcher = PLACE + "/verbena";
        guest.run("test -e " + launcher + " || { mkdir -p " + PLACE + "/karaf-distro/target && cd " + PLACE
                + " && cp -r " + project + "/karaf-distro/target/assembly karaf-distro/target && cp " + project
                + "/verbena .; }");
        return launcher;
    }

    /** Runs commands of the shell and returns what they printed; one that fails fails the test. */
    String run(String... commands) throws IOException, InterruptedException {
        order(commands);
        return await();
    }

    /** Starts shell commands without waiting for their end. */
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

    /**
     * Ends the distribution after a test has failed before its commands ended: they may never end, and no other
     * commands are accepted meanwhile.
     */
    private void abandon() throws IOException, InterruptedException {
        guest.run("echo abandoned while it did what a failed test had ordered > " + STATUS + "; pkill -TERM -P $(cat "
                + PROCESS + ")");
        busy = false;
        abandoned = true;
    }

    /** Waits until the started commands have printed a text. */
    void awaitOutput(String text) throws IOException, InterruptedException {
        guest.run("until grep -q '" + text + "' " + OUTPUT + " || test -e " + STATUS + "; do sleep 0.5; done");
    }

    /** Waits for the end of the started commands and returns their output; a failed command fails the test. */
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

    /** Ends the distribution in order, and requires success. */
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
