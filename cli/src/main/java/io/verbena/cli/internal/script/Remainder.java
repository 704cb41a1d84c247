package io.verbena.cli.internal.script;

import java.io.PrintStream;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.karaf.shell.api.console.Session;

/**
 * What is left of a script when another build of this bundle is to run the rest.
 *
 * @param session the session, with the variables and the arguments
 * @param out the standard output of the script
 * @param err the standard error of the script
 * @param statements the statements that are still to be run, after the one that has ended
 * @param status the name of the status of the first failure so far
 * @param hasLostOutput whether a failure of the standard output has been reported
 * @param ended the statement that has ended
 * @param begin when that statement began
 * @param failure how that statement has failed; null if it has not
 */
record Remainder(
        Session session,
        PrintStream out,
        PrintStream err,
        List<String> statements,
        String status,
        boolean hasLostOutput,
        String ended,
        Instant begin,
        Throwable failure) {
    private static final String SESSION = "session";
    private static final String OUT = "out";
    private static final String ERR = "err";
    private static final String STATEMENTS = "statements";
    private static final String STATUS = "status";
    private static final String HAS_LOST_OUTPUT = "hasLostOutput";
    private static final String ENDED = "ended";
    private static final String BEGIN = "begin";
    private static final String FAILURE = "failure";

    /** Returns the same in types of the JDK and of Karaf, which two builds have in common. */
    Map<String, Object> shared() {
        Map<String, Object> values = new HashMap<>();
        values.put(SESSION, session);
        values.put(OUT, out);
        values.put(ERR, err);
        values.put(STATEMENTS, statements);
        values.put(STATUS, status);
        values.put(HAS_LOST_OUTPUT, hasLostOutput);
        values.put(ENDED, ended);
        values.put(BEGIN, begin);
        values.put(FAILURE, failure);
        return values;
    }

    /** Returns what another build has shared. */
    static Remainder of(Map<String, Object> shared) {
        return new Remainder(
                (Session) shared.get(SESSION),
                (PrintStream) shared.get(OUT),
                (PrintStream) shared.get(ERR),
                ((List<?>) shared.get(STATEMENTS))
                        .stream().map(String.class::cast).toList(),
                (String) shared.get(STATUS),
                (Boolean) shared.get(HAS_LOST_OUTPUT),
                (String) shared.get(ENDED),
                (Instant) shared.get(BEGIN),
                (Throwable) shared.get(FAILURE));
    }
}
