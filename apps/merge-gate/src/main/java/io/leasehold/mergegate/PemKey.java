package io.leasehold.mergegate;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/**
 * Reads an RSA private key. GitHub hands out PKCS#1 ({@code BEGIN RSA PRIVATE KEY}), which Java
 * does not read; it becomes PKCS#8 by wrapping it in a header that names the algorithm.
 */
final class PemKey {

  /** INTEGER 0, then SEQUENCE { OID rsaEncryption, NULL }. */
  private static final byte[] VERSION_AND_ALGORITHM = {
    0x02,
    0x01,
    0x00,
    0x30,
    0x0d,
    0x06,
    0x09,
    0x2a,
    (byte) 0x86,
    0x48,
    (byte) 0x86,
    (byte) 0xf7,
    0x0d,
    0x01,
    0x01,
    0x01,
    0x05,
    0x00
  };

  private PemKey() {}

  static PrivateKey parse(String pem) {
    String body = pem.replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    try {
      byte[] der = Base64.getDecoder().decode(body);
      byte[] pkcs8 = pem.contains("BEGIN RSA PRIVATE KEY") ? wrap(der) : der;
      return KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "the private key is not an RSA key in PEM (PKCS#1 or PKCS#8)", e);
    }
  }

  private static byte[] wrap(byte[] pkcs1) {
    byte[] key = tagged(0x04, pkcs1);
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    content.writeBytes(VERSION_AND_ALGORITHM);
    content.writeBytes(key);
    return tagged(0x30, content.toByteArray());
  }

  private static byte[] tagged(int tag, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    int length = content.length;
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.write(0x81);
      out.write(length);
    } else {
      out.write(0x82);
      out.write(length >> 8);
      out.write(length & 0xff);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }
}
