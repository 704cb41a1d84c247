package io.verbena.cli.internal.script;

import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.CommandSessionListener;
import org.apache.karaf.shell.api.console.Session;
import org.osgi.service.component.annotations.Component;

/**
 * Suggests the nearest command or option to a user at the prompt who has mistyped one. The suggestion is printed above
 * the message of the shell. {@link Script} itself prints the suggestions for scripts.
 */
@Component
public final class PromptSuggestions implements CommandSessionListener {
    private static final String KARAF_SESSION = ".session";
    private static final String LINE_READER = ".jline.reader";
    private static final String TOLD = ".verbena.told";

    @Override
    public void beforeExecute(CommandSession session, CharSequence line) {
        session.put(TOLD, null);
    }

    @Override
    public void afterExecute(CommandSession session, CharSequence line, Exception failure) {
        if (session.get(LINE_READER) == null || !(session.get(KARAF_SESSION) instanceof Session karaf)) {
            return;
        }
        UsageErrors.suggestion(karaf.getRegistry(), failure).ifPresent(suggestion -> {
            // A line that runs other lines fails again after they have failed.
            if (!suggestion.equals(session.put(TOLD, suggestion))) {
                session.getConsole().println(suggestion);
            }
        });
    }

    @Override
    public void afterExecute(CommandSession session, CharSequence line, Object result) {
        // There is nothing to suggest.
    }
}
