package io.verbena.karaf.subject.internal;

import java.nio.charset.StandardCharsets;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * The calls of {@code Subject} in class files of Karaf, and those that replace them. JDK 24 and later keep the current
 * Subject apart from access control contexts (JEP 486): {@code Subject.getSubject} throws
 * {@code UnsupportedOperationException}, and a Subject in a context of {@code AccessController.doPrivileged} is not
 * the current one.
 *
 * <ul>
 *   <li>{@code Subject.getSubject(context)} becomes {@code Subject.current()}.
 *   <li>{@code JaasHelper.doAs(subject, action)}, which makes such a context, calls
 *       {@code Subject.doAs(subject, action)}, which sets the current Subject on every JDK.
 * </ul>
 */
final class SubjectCalls {
    private static final int API = Opcodes.ASM9;
    private static final String SUBJECT = "javax/security/auth/Subject";
    private static final String GET_SUBJECT = "getSubject";
    private static final String CURRENT = "current";
    private static final String JAAS_HELPER = "org/apache/karaf/util/jaas/JaasHelper";
    private static final String DO_AS = "doAs";

    private SubjectCalls() {}

    /** Returns whether a class file may have a call to be replaced. */
    static boolean hasCalls(byte[] classFile) {
        // The constants of a class file are in UTF-8. Each octet is one character in ISO 8859-1.
        String text = new String(classFile, StandardCharsets.ISO_8859_1);
        return text.contains(GET_SUBJECT) && text.contains(SUBJECT);
    }

    /** Returns the class file with the calls replaced. */
    static byte[] replaced(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        // The new instructions need no larger stack than the old ones, and have no jumps.
        ClassWriter writer = new ClassWriter(0);
        reader.accept(new Replacement(writer, reader.getClassName().equals(JAAS_HELPER)), 0);
        return writer.toByteArray();
    }

    /** Copies a class. */
    private static final class Replacement extends ClassVisitor {
        private final boolean isJaasHelper;

        Replacement(ClassVisitor target, boolean isJaasHelper) {
            super(API, target);
            this.isJaasHelper = isJaasHelper;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor target = super.visitMethod(access, name, descriptor, signature, exceptions);
            if (isJaasHelper && name.equals(DO_AS)) {
                writeDoAs(target, descriptor);
                return null; // the old instructions are not copied
            }
            return new Calls(target);
        }

        private static void writeDoAs(MethodVisitor target, String descriptor) {
            target.visitCode();
            target.visitVarInsn(Opcodes.ALOAD, 0);
            target.visitVarInsn(Opcodes.ALOAD, 1);
            target.visitMethodInsn(Opcodes.INVOKESTATIC, SUBJECT, DO_AS, descriptor, false);
            target.visitInsn(Opcodes.ARETURN);
            int words = Type.getArgumentTypes(descriptor).length;
            target.visitMaxs(words, words);
            target.visitEnd();
        }
    }

    /** Copies a method. */
    private static final class Calls extends MethodVisitor {
        Calls(MethodVisitor target) {
            super(API, target);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (owner.equals(SUBJECT) && name.equals(GET_SUBJECT)) {
                super.visitInsn(Opcodes.POP); // the context
                super.visitMethodInsn(opcode, owner, CURRENT, "()L" + SUBJECT + ";", false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }
    }
}
