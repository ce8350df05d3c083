package dev.runlane.spring.test;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Keeps component scanning from finding anything: a test imports what it is about. */
class NothingScanned extends TypeExcludeFilter {
  NothingScanned() {}

  @Override
  public boolean match(MetadataReader reader, MetadataReaderFactory factory) {
    return true;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NothingScanned;
  }

  @Override
  public int hashCode() {
    return NothingScanned.class.hashCode();
  }
}
