package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;

/**
 * The distribution in a guest, as a user runs it there. It takes some 20 s to start under emulation, more where the
 * machine has other things to do: one script should do much.
 */
final class GuestVerbena {
    private static final String PLACE = "/run/verbena";
    private static final Duration LIMIT = Duration.ofMinutes(7);
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration END = Duration.ofSeconds(20);

    private final LinuxGuest guest;

    /** Copies it there if it is not there yet: it starts faster than from the shared folder. */
    GuestVerbena(LinuxGuest guest) throws IOException, InterruptedException {
        this.guest = guest;
        String project = LinuxGuest.PROJECT;
        guest.run("test -e " + PLACE + "/verbena || { mkdir -p " + PLACE + "/karaf-distro/target"
                + " && cp -r " + project + "/karaf-distro/target/assembly " + PLACE + "/karaf-distro/target"
                + " && cp " + project + "/verbena " + PLACE + "; }");
    }

    /** Runs a script of the shell's commands and returns what it printed; a command that fails fails the test. */
    String run(String... commands) throws IOException, InterruptedException {
        return guest.run(script(commands), LIMIT.plus(END));
    }

    private static String script(String... commands) {
        return "cd /tmp && VERBENA_OPTS='" + GuestJvm.OPTIONS + "' timeout " + LIMIT.toSeconds() + " " + PLACE
                + "/verbena - <<'SCRIPT'\n" + String.join("\n", commands) + "\nSCRIPT";
    }

    /** Starts a script of the shell's commands, and waits until they are done; it then runs until it is ended. */
    Running start(String... commands) throws IOException, InterruptedException {
        return new Running(commands);
    }

    /** A run that has done its commands, and still serves. */
    final class Running implements AutoCloseable {
        private static final String OUTPUT = "/tmp/verbena.out";
        private static final String DONE = "/tmp/verbena.done";
        private static final String STATUS = "/tmp/verbena.status";
        private static final String PROCESS = "/tmp/verbena.pid";
        private static final String RELEASE = "/tmp/verbena.release";

        private boolean open = true;

        private Running(String... commands) throws IOException, InterruptedException {
            String[] all = new String[commands.length + 2];
            System.arraycopy(commands, 0, all, 0, commands.length);
            all[commands.length] = "shell:exec touch " + DONE;
            all[commands.length + 1] = "shell:exec cat " + RELEASE; // a pipe
            guest.run("rm -f " + DONE + " " + STATUS + " " + RELEASE + "; mkfifo " + RELEASE);
            guest.run("{ echo $BASHPID > " + PROCESS + "\n" + script(all) + "\necho $? > " + STATUS + "; } > " + OUTPUT
                    + " 2>&1 < /dev/null &");
            guest.run("until test -e " + DONE + " -o -e " + STATUS + "; do sleep 0.2; done", START);
            if (!guest.run("ls " + DONE + " 2>/dev/null || true").contains(DONE)) {
                throw new AssertionError("in the guest: " + output());
            }
        }

        /** What it has printed until now. */
        String output() throws IOException, InterruptedException {
            return guest.run("cat " + OUTPUT);
        }

        /** Lets it end in order, and wants it to end well. */
        void end() throws IOException, InterruptedException {
            open = false;
            guest.run("echo > " + RELEASE + "; until test -e " + STATUS + "; do sleep 0.2; done");
            assertThat(guest.run("cat " + STATUS)).as(output()).isEqualTo("0\n");
        }

        @Override
        public void close() throws IOException {
            if (!open) {
                return;
            }
            try {
                guest.tryRun("pkill -P $(cat " + PROCESS + ")", END);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
