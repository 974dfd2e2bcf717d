// Hint: how to go on after an error whose text, Helm's, does not say it. The program prints it after
// the error line when the records live on a server.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/strings.h"

namespace pintle::action {

struct Hint : ErrorDetail {
  explicit Hint(std::string text) : text(std::move(text)) {}
  std::string text;
};

// For a revision that is pending: its writer is still at work, or ended without a word.
inline std::string pending_hint(std::string_view name, std::string_view ns, int revision,
                                std::string_view status) {
  const std::string where = ns.empty() ? "" : cat(" -n ", ns);
  std::string out = cat("revision ", revision, " of ", name, " is ", status,
                        ". If nothing works on it any more, ");
  if (revision > 1) append(out, {"'helm rollback ", name, where, "' goes back, "});
  return cat(out, "'helm uninstall ", name, where, "' removes it");
}

}  // namespace pintle::action
