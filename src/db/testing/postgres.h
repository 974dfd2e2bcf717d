// A real PostgreSQL server for tests: Debian's, in a temporary directory, on a Unix socket only.
#pragma once

#include <memory>
#include <string>

namespace pintle::db {

class PostgresServer {
 public:
  // The one of this test program, started at first use and stopped at its end; null when PostgreSQL
  // is not installed or does not start: why() says it.
  static PostgresServer* shared();
  static const std::string& why();

  ~PostgresServer();
  // A new empty database; its URL.
  std::string database();
  // Ends every connection, as a restart of the server would.
  void cut_connections();
  // Runs SQL as the superuser, aside. Whether it went well.
  bool sql(const std::string& text);

 private:
  struct Shared {
    std::unique_ptr<PostgresServer> server;
    std::string why;
  };
  PostgresServer() = default;
  static Shared& the_server();
  std::string start();
  void watch();
  std::string folder_, programs_, as_user_;
  int watcher_ = -1, alive_ = -1;  // a process, and the end of a pipe that it waits for
  int databases_ = 0;
};

}  // namespace pintle::db
