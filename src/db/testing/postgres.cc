#include "db/testing/postgres.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace pintle::db {

namespace {

bool shell(const std::string& command) {
  return std::system(command.c_str()) == 0;  // NOLINT(cert-env33-c): a test's own words
}

}  // namespace

std::string PostgresServer::start() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    if (fs::exists(version.path() / "bin/initdb")) programs_ = version.path() / "bin";
  }
  if (programs_.empty()) return "PostgreSQL is not installed (/usr/lib/postgresql/*/bin)";
  std::string name = (fs::temp_directory_path() / "pintle-postgres-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return "no temporary directory";
  folder_ = name;
  if (::geteuid() == 0) {  // initdb refuses root
    if (!shell("chown postgres " + folder_ + " 2>/dev/null")) {
      fs::remove(folder_, ignored);
      return "no user postgres";
    }
    as_user_ = "cd " + folder_ + " && setpriv --reuid=postgres --regid=postgres --clear-groups ";
  }
  watch();
  std::string log = folder_ + "/log";
  if (!shell(as_user_ + programs_ + "/initdb -D " + folder_ +
             "/data -A trust -E UTF8 --locale=C.UTF-8 --no-sync -U postgres >" + log + " 2>&1")) {
    return "initdb failed";
  }
  std::string options = "-c listen_addresses= -c unix_socket_directories=" + folder_ +
                        " -c fsync=off -c max_connections=60";
  if (!shell(as_user_ + programs_ + "/pg_ctl -w -D " + folder_ + "/data -l " + folder_ +
             "/data/log -o '" + options + "' start >>" + log + " 2>&1")) {
    return "pg_ctl start failed";
  }
  return "";
}

// The server must not outlive the tests, however they end: a process of its own waits for the end of
// a pipe that only this one holds, then stops the server and removes its folder.
void PostgresServer::watch() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  std::string stop = "cat; " + as_user_ + programs_ + "/pg_ctl -w -m immediate -D " + folder_ +
                     "/data stop; cd /; rm -rf " + folder_;
  watcher_ = ::fork();
  if (watcher_ == 0) {
    ::setsid();
    ::dup2(ends[0], 0);
    int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 1);
    ::dup2(nowhere, 2);
    ::execl("/bin/sh", "sh", "-c", stop.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[0]);
  alive_ = ends[1];
}

PostgresServer::~PostgresServer() {
  if (alive_ < 0) return;
  ::close(alive_);
  ::waitpid(watcher_, nullptr, 0);
}

PostgresServer* PostgresServer::shared() { return the_server().server.get(); }
const std::string& PostgresServer::why() { return the_server().why; }

PostgresServer::Shared& PostgresServer::the_server() {
  static Shared shared = [] {
    Shared made{std::unique_ptr<PostgresServer>(new PostgresServer), ""};
    made.why = made.server->start();
    if (!made.why.empty()) made.server.reset();
    return made;
  }();
  return shared;
}

bool PostgresServer::sql(const std::string& text) {
  return shell(programs_ + "/psql -qX -v ON_ERROR_STOP=1 -h " + folder_ +
               " -U postgres -d postgres -c \"" + text + "\" >/dev/null");
}

std::string PostgresServer::database() {
  std::string name = "test" + std::to_string(++databases_);
  sql("create schema " + name);  // a database of its own would be a copy of 7 MB
  return "postgresql://postgres@/postgres?host=" + folder_ + "&options=-csearch_path%3D" + name;
}

void PostgresServer::cut_connections() {
  sql("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and "
      "backend_type = 'client backend'");
}

}  // namespace pintle::db
