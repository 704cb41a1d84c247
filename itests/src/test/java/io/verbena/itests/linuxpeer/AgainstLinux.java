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
    /** Whether tshark checks the traffic on the wire; false for tests that break connections within a frame. */
    boolean judged() default true;

    /** Whether the project's programs run in the guest, which is a separate guest booted with the project's folder. */
    boolean inside() default false;

    /** Whether connections carry CRCs; false where every mount says {@code nocrc}. The wire is checked for either. */
    boolean crc() default true;

    /** Whether the class has a guest of its own, because it may damage the server for other tests. */
    boolean alone() default false;
}
