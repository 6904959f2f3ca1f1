package io.leasehold.jdbc;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What this library logs while it is open. */
final class LogRecorder implements AutoCloseable {

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.leasehold");
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  LogRecorder() {
    appender.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
  }

  List<String> lines(Level atLeast) {
    return List.copyOf(appender.list).stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(atLeast))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setLevel(null);
  }
}
