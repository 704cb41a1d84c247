package io.verbena.nfs.nio.internal;

import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.regex.Pattern;

/**
 * Users and groups by the names that NFSv4 has for them (RFC 8881 section 5.9): a number, or {@code user@domain}. NFSv4
 * cannot ask the server whether it knows a name: it says so when a file is to be given to that owner.
 */
final class Principals extends UserPrincipalLookupService {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
    private static final long MAX_NUMBER = 0xffff_ffffL;

    /**
     * @throws UserPrincipalNotFoundException for a name that is neither a number nor has a domain: no server takes it
     */
    @Override
    public UserPrincipal lookupPrincipalByName(String name) throws UserPrincipalNotFoundException {
        return new NfsPrincipal.User(checked(name));
    }

    /** As {@link #lookupPrincipalByName}. */
    @Override
    public GroupPrincipal lookupPrincipalByGroupName(String group) throws UserPrincipalNotFoundException {
        return new NfsPrincipal.Group(checked(group));
    }

    private static String checked(String name) throws UserPrincipalNotFoundException {
        if (NUMBER.matcher(name).matches() && Long.parseLong(name) <= MAX_NUMBER) {
            return Long.toString(Long.parseLong(name));
        }
        int at = name.indexOf('@');
        if (at <= 0 || at == name.length() - 1) {
            throw new UserPrincipalNotFoundException(name);
        }
        return name;
    }
}
