package io.leasehold.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The signals of the operating system that a Java program may take. QUIT is not among them: the JVM
 * keeps it for its thread dump.
 *
 * <p>By reflection, since the compiler warns of {@code sun.misc.Signal} and cannot be told not to;
 * it is in the exported module {@code jdk.unsupported} of every JDK so far.
 */
final class OsSignals {

  /** Names and numbers, the same on every Linux. */
  private static final Map<String, Integer> NUMBERS = Map.of("HUP", 1, "INT", 2, "TERM", 15);

  private OsSignals() {}

  static int number(String signal) {
    return NUMBERS.getOrDefault(signal, 15);
  }

  /** Hands every such signal to a handler, by its name, on a thread of the JVM's. */
  static void take(Consumer<String> handler) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> signalHandler = Class.forName("sun.misc.SignalHandler");
      Method getName = signal.getMethod("getName");
      Method handle = signal.getMethod("handle", signal, signalHandler);
      Object proxy =
          Proxy.newProxyInstance(
              signalHandler.getClassLoader(),
              new Class<?>[] {signalHandler},
              (self, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  handler.accept((String) getName.invoke(arguments[0]));
                  return null;
                }
                return switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == arguments[0];
                  default -> "signals of leasehold";
                };
              });
      for (String name : NUMBERS.keySet()) {
        handle.invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
      }
    } catch (ClassNotFoundException
        | NoSuchMethodException
        | InstantiationException
        | IllegalAccessException e) {
      throw new IllegalStateException("this Java has no sun.misc.Signal; use a JDK of 17 to 25", e);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("this Java lets no program take signals", e.getCause());
    }
  }
}
