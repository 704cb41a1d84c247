package io.verbena.hadoop.internal.mount;

import io.verbena.dirfd.Account;
import io.verbena.dirfd.host.Accounts;
import io.verbena.hadoop.internal.settings.Setting;
import io.verbena.hadoop.internal.settings.Settings;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The user that a mount makes its calls as.
 *
 * @param options the mount options that name the user; empty for the user of the process
 * @param subject the Kerberos credentials; null for those that the mount options name, or none
 */
record Identity(String options, Subject subject) {
    private static final Identity OF_THE_PROCESS = new Identity("", null);
    private static final int MAX_GROUPS = 16; // RFC 5531 appendix A: the groups of AUTH_SYS

    /**
     * Translates a user of Hadoop.
     *
     * @throws IOException if the user has no numbers here, or no ticket where Kerberos is asked for
     */
    static Identity of(UserGroupInformation user, Settings settings) throws IOException {
        MountOptions options = settings.mountOptions(-1, "");
        if (settings.get(Setting.IDENTITY).equals("process") || options.given().containsKey(MountOption.UID)) {
            return OF_THE_PROCESS;
        }
        String flavor = options.get(MountOption.SEC);
        boolean sys = flavor.equals("sys") || flavor.equals("none");
        if (!sys && user.hasKerberosCredentials()) {
            // where sec=auto comes to sys, the server wants the user's numbers
            String ids = flavor.equals("auto")
                    ? ofNumbers(user.getShortUserName(), settings).options()
                    : "";
            return new Identity(ids, Subjects.of(user));
        }
        if (flavor.startsWith("krb5")) {
            return ofOtherTicket(user, options);
        }
        Identity numbers = ofNumbers(user.getShortUserName(), settings);
        return sys || mayUseTicketOfProcess(user, options) ? numbers : numbers.withSys();
    }

    /** Has no ticket, whatever the server asks for. */
    private Identity withSys() {
        String sys = MountOption.SEC.key() + "=sys";
        return new Identity(options.isEmpty() ? sys : options + "," + sys, null);
    }

    /**
     * Whether the key table or the ticket cache that the options name, or that the process has, is that of a user:
     * nobody else may borrow it. Spark's executors know their own user by the name alone.
     */
    private static boolean mayUseTicketOfProcess(UserGroupInformation user, MountOptions options) throws IOException {
        return options.given().containsKey(MountOption.KEYTAB)
                || options.given().containsKey(MountOption.CCACHE)
                || user.getShortUserName()
                        .equals(UserGroupInformation.getLoginUser().getShortUserName());
    }

    private static Identity ofOtherTicket(UserGroupInformation user, MountOptions options) throws IOException {
        if (mayUseTicketOfProcess(user, options)) {
            return OF_THE_PROCESS;
        }
        throw new IOException("sec=" + options.get(MountOption.SEC) + " wants a Kerberos ticket, and the user "
                + user.getUserName()
                + " has none: log in with a ticket or a key table, or name a key table by the mount"
                + " options keytab and principal in fs.verbena.options");
    }

    private static Identity ofNumbers(String name, Settings settings) throws IOException {
        Optional<String> ids = settings.idsOf(name);
        if (ids.isPresent()) {
            return ofNumbers(List.of(ids.get().split(":", -1)));
        }
        if (name.equals(System.getProperty("user.name"))) {
            return OF_THE_PROCESS;
        }
        Account account = Accounts.user(name)
                .orElseThrow(() -> new IOException("This host has no user '" + name
                        + "', so that the server cannot be told the user's number: set fs.verbena.user." + name
                        + " to uid:gid, or fs.verbena.identity to process to make all calls as the user of this"
                        + " process"));
        Stream<Integer> further = account.groups().stream().filter(each -> each != account.gid());
        return ofNumbers(Stream.concat(Stream.of(account.uid(), account.gid()), further)
                .map(Integer::toUnsignedString)
                .toList());
    }

    private static Identity ofNumbers(List<String> ids) {
        String groups = ids.stream().skip(2).limit(MAX_GROUPS).collect(Collectors.joining(":"));
        String text = "uid=" + ids.get(0) + ",gid=" + ids.get(1);
        return new Identity(groups.isEmpty() ? text : text + ",groups=" + groups, null);
    }
}
