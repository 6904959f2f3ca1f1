package io.leasehold.mergegate;

/** What a request for a repository is signed with. */
@FunctionalInterface
interface Credentials {

  /** The value of the Authorization header. */
  String authorization(String repository) throws ForgeException, InterruptedException;

  /** One token for everything. */
  static Credentials token(String token) {
    return repository -> "Bearer " + token;
  }
}
