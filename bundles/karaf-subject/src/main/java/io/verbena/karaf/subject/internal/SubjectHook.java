package io.verbena.karaf.subject.internal;

import org.osgi.framework.hooks.weaving.WeavingHook;
import org.osgi.framework.hooks.weaving.WovenClass;

/** Weaves the classes of Karaf's bundles that ask for the current Subject. */
final class SubjectHook implements WeavingHook {
    private static final String KARAF = "org.apache.karaf.";

    @Override
    public void weave(WovenClass woven) {
        String bundle = woven.getBundleWiring().getBundle().getSymbolicName();
        if (bundle != null && bundle.startsWith(KARAF) && SubjectCalls.hasCalls(woven.getBytes())) {
            woven.setBytes(SubjectCalls.replaced(woven.getBytes()));
        }
    }
}
