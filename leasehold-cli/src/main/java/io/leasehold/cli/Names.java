package io.leasehold.cli;

import io.leasehold.LeaseName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A lease's name on the command line. */
final class Names implements ITypeConverter<LeaseName> {

  @Override
  public LeaseName convert(String text) {
    try {
      return LeaseName.of(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
