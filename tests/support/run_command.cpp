// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/test_models.hpp"

namespace test {

CommandResult run(const std::vector<std::string>& command) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out", err = folder.path() + "/err";
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const int out_file = ::open(out.c_str(), O_CREAT | O_WRONLY, 0600),
              err_file = ::open(err.c_str(), O_CREAT | O_WRONLY, 0600);
    const int in_file = ::open("/dev/null", O_RDONLY);
    ::dup2(in_file, 0);
    ::dup2(out_file, 1);
    ::dup2(err_file, 2);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CommandResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

CommandResult amalthea(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), AMALTHEA_COMMAND);
  return run(arguments);
}

}  // namespace test
