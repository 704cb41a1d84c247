package io.verbena.hadoop.internal.mount;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.security.PrivilegedAction;
import javax.security.auth.Subject;
import org.apache.hadoop.security.UserGroupInformation;

/** Finds the subject with the credentials of a user of Hadoop, on JDKs with and without a security manager. */
final class Subjects {
    private Subjects() {}

    /**
     * Returns the subject of a user; Hadoop renews its ticket.
     *
     * @throws IOException if this JDK does not tell
     */
    static Subject of(UserGroupInformation user) throws IOException {
        try {
            Method current = current();
            Subject subject = user.doAs((PrivilegedAction<Subject>) () -> call(current));
            if (subject == null) {
                throw new IOException("the credentials of " + user.getUserName() + " are not available");
            }
            return subject;
        } catch (ReflectiveOperationException | IllegalStateException e) {
            throw new IOException("the credentials of " + user.getUserName() + " are not available", e);
        }
    }

    /** {@code Subject.current()} since JDK 18; before, {@code Subject.getSubject} of the caller's context. */
    private static Method current() throws ReflectiveOperationException {
        try {
            return Subject.class.getMethod("current");
        } catch (NoSuchMethodException e) {
            return Subject.class.getMethod("getSubject", Class.forName("java.security.AccessControlContext"));
        }
    }

    private static Subject call(Method current) {
        try {
            if (current.getParameterCount() == 0) {
                return (Subject) current.invoke(null);
            }
            Object context = Class.forName("java.security.AccessController")
                    .getMethod("getContext")
                    .invoke(null);
            return (Subject) current.invoke(null, context);
        } catch (IllegalAccessException
                | InvocationTargetException
                | ClassNotFoundException
                | NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }
}
