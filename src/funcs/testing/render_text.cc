#include "funcs/testing/render_text.h"

#include "json/json.h"
#include "tmpl/tmpl.h"

namespace pintle::funcs {

std::string render_text(std::string_view text, std::string_view data, const Env* env) {
  auto dot = json::read(data);
  if (!dot) return "bad data: " + dot.error().text();
  tmpl::Set set(table());
  if (Status parsed = set.parse("t", text); !parsed) return "error: " + parsed.error().text();
  tmpl::Options options;
  options.missing_key = tmpl::MissingKey::kZero;
  tmpl::Vm vm(set, options);
  vm.set_user(const_cast<Env*>(env));
  std::string out;
  Status ran = vm.execute("t", *dot, out);
  if (ran) return out;
  const std::string& message = ran.error().text();
  size_t at = message.rfind("error calling ");
  if (at == message.npos) return "error: " + message;
  return "error: " + message.substr(message.find(": ", at) + 2);
}

}  // namespace pintle::funcs
