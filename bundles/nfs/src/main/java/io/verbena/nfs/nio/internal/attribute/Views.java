package io.verbena.nfs.nio.internal.attribute;

import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.util.Objects;

/** The views of attributes. */
public final class Views {
    private Views() {}

    /** Returns a view by its type; null if there is none of it. */
    public static <V extends FileAttributeView> V of(BasicView.Place place, Class<V> type, boolean follows) {
        if (Objects.requireNonNull(type) == BasicFileAttributeView.class) {
            return type.cast(new BasicView(place, follows));
        }
        if (type == PosixFileAttributeView.class) {
            return type.cast(new PosixView(place, follows));
        }
        return type == FileOwnerAttributeView.class ? type.cast(new OwnerView(new PosixView(place, follows))) : null;
    }
}
