package io.verbena.karaf.subject.internal;

import java.nio.charset.StandardCharsets;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
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
 *   <li>A {@code Pipe} of the shell runs a command on another thread, with the Subject that was current where the pipe
 *       was made. Earlier JDKs hand the Subject on to new threads.
 * </ul>
 */
final class SubjectCalls {
    private static final int API = Opcodes.ASM9;
    private static final String SUBJECT = "javax/security/auth/Subject";
    private static final String GET_SUBJECT = "getSubject";
    private static final String CURRENT = "current";
    private static final String JAAS_HELPER = "org/apache/karaf/util/jaas/JaasHelper";
    private static final String DO_AS = "doAs";
    private static final String PIPE = "org/apache/felix/gogo/runtime/Pipe";
    private static final String PIPE_CALL = "call";
    private static final String PIPE_CALL_TYPE = "()L" + PIPE + "$Result;";
    private static final String SUBJECT_TYPE = "L" + SUBJECT + ";";
    /** The field of a pipe with the Subject; null while it is current. */
    private static final String PIPE_SUBJECT = "verbena$subject";
    /** The method of a pipe that was named {@code call}. */
    private static final String PIPE_CALL_AS = "verbena$call";

    private SubjectCalls() {}

    /** Returns whether a class file may have a call to be replaced. */
    static boolean hasCalls(byte[] classFile) {
        // The constants of a class file are in UTF-8. Each octet is one character in ISO 8859-1.
        String text = new String(classFile, StandardCharsets.ISO_8859_1);
        return (text.contains(GET_SUBJECT) && text.contains(SUBJECT)) || text.contains(PIPE_CALL_TYPE);
    }

    /** Returns the class file with the calls replaced. */
    static byte[] replaced(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        // The new instructions need no larger stack than the old ones, and have no jumps.
        ClassWriter writer = new ClassWriter(0);
        boolean isPipe = reader.getClassName().equals(PIPE);
        reader.accept(isPipe ? new PipeWithSubject(writer) : replacement(writer, reader), 0);
        return writer.toByteArray();
    }

    private static ClassVisitor replacement(ClassWriter writer, ClassReader reader) {
        return new Replacement(writer, reader.getClassName().equals(JAAS_HELPER));
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

    /** Copies the class of pipes, each of which is to be called by a thread of its own. */
    private static final class PipeWithSubject extends ClassVisitor {
        PipeWithSubject(ClassVisitor target) {
            super(API, target);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] exceptions) {
            if (name.equals("<init>")) {
                return new Made(super.visitMethod(access, name, descriptor, signature, exceptions));
            }
            if (!name.equals(PIPE_CALL) || !descriptor.equals(PIPE_CALL_TYPE)) {
                return super.visitMethod(access, name, descriptor, signature, exceptions);
            }
            writeCall(super.visitMethod(access, name, descriptor, signature, exceptions));
            int hidden = Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC;
            return super.visitMethod(hidden, PIPE_CALL_AS, descriptor, signature, exceptions);
        }

        /** With a Subject, the pipe is called once more, and has none then. */
        private static void writeCall(MethodVisitor target) {
            Label hasSubject = new Label();
            target.visitCode();
            target.visitVarInsn(Opcodes.ALOAD, 0);
            target.visitFieldInsn(Opcodes.GETFIELD, PIPE, PIPE_SUBJECT, SUBJECT_TYPE);
            target.visitVarInsn(Opcodes.ASTORE, 1);
            target.visitVarInsn(Opcodes.ALOAD, 1);
            target.visitJumpInsn(Opcodes.IFNONNULL, hasSubject);
            target.visitVarInsn(Opcodes.ALOAD, 0);
            target.visitMethodInsn(Opcodes.INVOKEVIRTUAL, PIPE, PIPE_CALL_AS, PIPE_CALL_TYPE, false);
            target.visitInsn(Opcodes.ARETURN);
            target.visitLabel(hasSubject);
            target.visitFrame(Opcodes.F_APPEND, 1, new Object[] {SUBJECT}, 0, null);
            target.visitVarInsn(Opcodes.ALOAD, 0);
            target.visitInsn(Opcodes.ACONST_NULL);
            target.visitFieldInsn(Opcodes.PUTFIELD, PIPE, PIPE_SUBJECT, SUBJECT_TYPE);
            target.visitVarInsn(Opcodes.ALOAD, 1);
            target.visitVarInsn(Opcodes.ALOAD, 0);
            String callAs = "(" + SUBJECT_TYPE + "Ljava/util/concurrent/Callable;)Ljava/lang/Object;";
            target.visitMethodInsn(Opcodes.INVOKESTATIC, SUBJECT, "callAs", callAs, false);
            target.visitTypeInsn(Opcodes.CHECKCAST, PIPE + "$Result");
            target.visitInsn(Opcodes.ARETURN);
            target.visitMaxs(2, 2);
            target.visitEnd();
        }

        @Override
        public void visitEnd() {
            int hidden = Opcodes.ACC_PRIVATE | Opcodes.ACC_SYNTHETIC;
            super.visitField(hidden, PIPE_SUBJECT, SUBJECT_TYPE, null, null).visitEnd();
            super.visitEnd();
        }
    }

    /** Copies a constructor, which keeps the current Subject. */
    private static final class Made extends MethodVisitor {
        Made(MethodVisitor target) {
            super(API, target);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.RETURN) {
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, SUBJECT, CURRENT, "()" + SUBJECT_TYPE, false);
                super.visitFieldInsn(Opcodes.PUTFIELD, PIPE, PIPE_SUBJECT, SUBJECT_TYPE);
            }
            super.visitInsn(opcode);
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
