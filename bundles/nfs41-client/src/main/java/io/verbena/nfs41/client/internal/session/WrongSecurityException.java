package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.SecurityFlavor;
import java.io.IOException;
import java.util.List;

/** The server takes other security there (NFS4ERR_WRONGSEC, RFC 8881 section 2.6.3.1). */
final class WrongSecurityException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient List<SecurityFlavor> offered;

    /** @param offered what the server takes, what it likes best first */
    WrongSecurityException(List<SecurityFlavor> offered) {
        super("the server takes other security");
        this.offered = offered;
    }

    List<SecurityFlavor> offered() {
        return offered;
    }
}
