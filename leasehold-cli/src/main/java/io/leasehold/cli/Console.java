package io.leasehold.cli;

import java.io.PrintStream;

/**
 * Where this call prints. Whether an output is a terminal is told by the script that started the
 * JVM, in the property {@code leasehold.terminal}: it holds {@code 1} for standard output and
 * {@code 2} for standard error.
 *
 * @param out for answers
 * @param err for everything else
 * @param outIsTerminal whether somebody watches the answers
 * @param errIsTerminal whether somebody watches the progress
 */
record Console(PrintStream out, PrintStream err, boolean outIsTerminal, boolean errIsTerminal) {

  static Console system() {
    String terminals = System.getProperty("leasehold.terminal", "");
    return new Console(System.out, System.err, terminals.contains("1"), terminals.contains("2"));
  }

  /** What must be known. */
  void say(String line) {
    err.println("leasehold: " + line);
  }

  /** What is good to know while one waits; only for people. */
  void progress(String line) {
    if (errIsTerminal) {
      say(line);
    }
  }
}
