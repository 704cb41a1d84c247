package io.verbena.itests.linuxpeer;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests that take a {@link LinuxGuest} in their constructor; the Maven profile linux-peer runs them. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Tag("linux-peer")
@ExtendWith(LinuxPeer.class)
@Timeout(180)
@interface AgainstLinux {
    /** Whether tshark judges what goes over the wire: not where a test cuts it in mid-frame on its way. */
    boolean judged() default true;

    /** Whether programs of ours run in the guest: they have a guest of their own, booted with the project's folder. */
    boolean inside() default false;

    /** Whether the class has a guest to itself: what it does to the server may do others harm. */
    boolean alone() default false;
}
