package io.verbena.karaf.subject.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

final class SubjectCallsTest {
    private static final String JAAS_HELPER = "org.apache.karaf.util.jaas.JaasHelper";
    private static final String SHELL_UTIL = "org.apache.karaf.shell.support.ShellUtil";
    private static final String SESSIONS = "org.apache.karaf.shell.impl.console.osgi.secured.SecuredSessionFactoryImpl";

    private static final String PIPE = "org.apache.felix.gogo.runtime.Pipe";

    /** Loads one class from its octets, and the others as usual. */
    private static final class Loader extends ClassLoader {
        Loader() {
            super(SubjectCallsTest.class.getClassLoader());
        }

        Class<?> define(byte[] classFile) {
            return defineClass(null, classFile, 0, classFile.length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {JAAS_HELPER, SHELL_UTIL, SESSIONS})
    void replacesEachCall(String name) throws IOException {
        assertThat(SubjectCalls.hasCalls(file(name))).isTrue();
        assertThat(calls(file(name))).contains("getSubject");
        assertThat(calls(SubjectCalls.replaced(file(name)))).contains("current").doesNotContain("getSubject");
    }

    /** The verifier of the JVM looks at each method when a class is initialized. */
    @ParameterizedTest
    @ValueSource(strings = {JAAS_HELPER, SHELL_UTIL, SESSIONS, PIPE})
    void leavesClassesThatTheJvmVerifies(String name) throws IOException {
        Class<?> woven = new Loader().define(SubjectCalls.replaced(file(name)));
        assertThatCode(() -> Class.forName(name, true, woven.getClassLoader())).doesNotThrowAnyException();
        assertThat(woven.getDeclaredMethods()).isNotEmpty();
    }

    @Test
    void jaasHelperRunsActionsByTheJdk() throws IOException {
        assertThat(calls(file(JAAS_HELPER))).doesNotContain("doAs");
        assertThat(calls(SubjectCalls.replaced(file(JAAS_HELPER)))).contains("doAs", "doAs");
    }

    /** A pipe runs its command on another thread, to which new JDKs hand no Subject on. */
    @Test
    void pipesKeepTheSubject() throws IOException {
        assertThat(SubjectCalls.hasCalls(file(PIPE))).isTrue();
        assertThat(calls(file(PIPE))).isEmpty();
        assertThat(calls(SubjectCalls.replaced(file(PIPE)))).containsExactlyInAnyOrder("current", "callAs");
    }

    @Test
    void leavesOtherClassesAlone() throws IOException {
        assertThat(SubjectCalls.hasCalls(file(String.class.getName()))).isFalse();
    }

    /** Returns the names of the methods of Subject that a class calls. */
    private static List<String> calls(byte[] classFile) {
        List<String> names = new ArrayList<>();
        new ClassReader(classFile)
                .accept(
                        new ClassVisitor(Opcodes.ASM9) {
                            @Override
                            public MethodVisitor visitMethod(
                                    int access, String name, String descriptor, String signature, String[] thrown) {
                                return new MethodVisitor(Opcodes.ASM9) {
                                    @Override
                                    public void visitMethodInsn(
                                            int opcode, String owner, String called, String type, boolean isInterface) {
                                        if (owner.equals("javax/security/auth/Subject")) {
                                            names.add(called);
                                        }
                                    }
                                };
                            }
                        },
                        0);
        return names;
    }

    private static byte[] file(String name) throws IOException {
        try (InputStream in = ClassLoader.getSystemResourceAsStream(name.replace('.', '/') + ".class")) {
            return in.readAllBytes();
        }
    }
}
